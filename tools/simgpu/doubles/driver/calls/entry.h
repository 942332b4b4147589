/* The entries of libcuda.so.1. ENTRY() begins the definition of an exported function and puts it on
 * the list that cuGetProcAddress looks through. */
#ifndef SIMGPU_DOUBLES_DRIVER_CALLS_ENTRY_H
#define SIMGPU_DOUBLES_DRIVER_CALLS_ENTRY_H

#include "doubles/doubles.h"
#include "doubles/driver/calls/observe_call.h"
#include "doubles/driver/stream/context.h"

struct entry {
	const char *name;
	void (*function)(void);
};

#define ENTRY(name_, ...)                                                      \
	SIM_API int name_(__VA_ARGS__);                                            \
	static const struct entry name_##_entry = {#name_, (void (*)(void))name_}; \
	static const struct entry *const name_##_listed                            \
		__attribute__((section("driver_entries"), used)) = &name_##_entry;     \
	int name_(__VA_ARGS__)

/* The begin of an entry that needs a context; then always observe_leave(). */
static inline int entry_enter(struct sim_observed *call, uint32_t cbid, const char *name,
							  const void *params, struct context **context)
{
	int failed = observe_enter(call, cbid, name, params, NULL);
	return failed ? failed : context_need(context);
}

#endif
