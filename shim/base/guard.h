/* Which thread is inside the shim. Whatever the shim calls (the unwinder, mmap, CUPTI) may come
 * back through its own hooks: those find the guard up and only forward. Hooks also leave errno as
 * it was. */
#ifndef SHIM_GUARD_H
#define SHIM_GUARD_H

#include <errno.h>
#include <stdbool.h>

#define SHIM_TLS __attribute__((tls_model("initial-exec"))) __thread
/* What every launch reads stands together: a launch after a long step finds the caches cold. */
#define SHIM_HOT __attribute__((section("baton_hot")))
#define SHIM_HIDDEN __attribute__((visibility("hidden")))
#define SHIM_EXPORT __attribute__((visibility("default")))
#define SHIM_LIKELY(x) __builtin_expect(!!(x), 1)
#define SHIM_UNLIKELY(x) __builtin_expect(!!(x), 0)

extern SHIM_TLS int guard_depth;

/* False: this thread is inside already; forward and do nothing. */
static inline bool guard_enter(int *saved_errno)
{
	if (guard_depth)
		return false;
	guard_depth = 1;
	*saved_errno = errno;
	return true;
}

static inline void guard_leave(int saved_errno)
{
	errno = saved_errno;
	guard_depth = 0;
}

#endif
