/* Kernel launches seen without CUPTI: wrappers of the launch calls (launch_wrappers.c, generated),
 * bound by the linker (runtime calls, and driver calls of programs that link libcuda) or handed
 * out by dlsym and cuGetProcAddress (what a static cudart, cuBLAS, NCCL and Triton call). While
 * CUPTI's callbacks are on, and in a process that is not recorded, they only forward
 * (recording_by_wrappers). */
#ifndef SHIM_LAUNCH_H
#define SHIM_LAUNCH_H

#include "base/guard.h"
#include "base/launch_config.h"
#include "base/recording.h"
#include "base/symbols.h"

#include <baton/live.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One launch call from its begin to its end. */
struct launch {
	struct baton_lane *lane; /* NULL: not recorded, the call is only forwarded */
	uint64_t begin;
	uint32_t correlation, stack, name;
	uint8_t makes;
	bool outermost; /* this call keeps GUARD_LAUNCH up */
	bool unheard;   /* a kernel for which there was no lane */
};

/* `makes`: BATON_SLOT_MAKES_OP or BATON_SLOT_MAKES_GRAPH. A driver call inside a runtime call is
 * the same launch. */
void launch_begin(struct launch *launch, const char *name, uint8_t makes, const void *stream);
void launch_end(const struct launch *launch, int result);

/* cuLaunchHostFunc: the function goes to the driver by ring/hosted.h, so that its run has a row. Not
 * where the stream is being captured: a graph calls it as often as it is launched. */
typedef int (*host_call_real)(void *stream, void (*function)(void *), void *data);
int host_call(host_call_real real, void *stream, void (*function)(void *), void *data,
			  bool per_thread);

/* Where a wrapper forwards to, NULL when no such function is loaded: then the caller gets
 * LAUNCH_ABSENT, CUDA's own "shared object symbol not found". */
enum { LAUNCH_ABSENT = 302 };
void launch_find_runtime(_Atomic(void *) *real, const char *name);
void launch_find_driver(_Atomic(void *) *real, const char *name);

/* What cuGetProcAddress gives out wrapped: per function the legacy and the per-thread stream form.
 */
struct launch_entry {
	const char *name;
	void *wrapper[2];
	_Atomic(void *) *real[2];
};
extern const struct launch_entry launch_entries[];
extern const unsigned launch_entries_count;

/* What dlsym hands out of the driver, sorted by name. */
extern const struct symbols_hook driver_names[];
extern const unsigned driver_names_count;

/* cuGetProcAddress and its second version, handed out by dlsym. */
int launch_proc_address(const char *symbol, void **function, int version, uint64_t flags);
int launch_proc_address_v2(const char *symbol, void **function, int version, uint64_t flags,
						   void *status);
extern _Atomic(void *) launch_proc_address_real, launch_proc_address_v2_real;

#endif
