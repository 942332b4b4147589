/* What this thread is inside of, in one word with a bit for each layer that may come back through
 * its own hooks. Whatever the shim calls (the unwinder, mmap, CUPTI) may: those hooks find
 * GUARD_SHIM up and only forward. Hooks also leave errno as it was. A runtime's launch calls the
 * driver's, and NCCL calls itself: only the outermost call is recorded. */
#ifndef SHIM_GUARD_H
#define SHIM_GUARD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define SHIM_TLS __attribute__((tls_model("initial-exec"))) __thread
/* What every launch reads stands together: a launch after a long step finds the caches cold. */
#define SHIM_HOT __attribute__((section("baton_hot")))
#define SHIM_COLD __attribute__((noinline, cold))
#define SHIM_HIDDEN __attribute__((visibility("hidden")))
#define SHIM_EXPORT __attribute__((visibility("default")))
#define SHIM_LIKELY(x) __builtin_expect(!!(x), 1)
#define SHIM_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum guard_layer {
	GUARD_SHIM = 1 << 0,   /* our own code */
	GUARD_LAUNCH = 1 << 1, /* a launch call that a wrapper has seen */
	GUARD_NCCL = 1 << 2    /* a call of NCCL's */
};

/* Its address also tells threads apart (perthread.c). */
extern SHIM_TLS uint32_t guard_layers;

static inline bool guard_is_up(enum guard_layer layer)
{
	return (guard_layers & layer) != 0;
}

/* True: this thread is at the outermost call of the layer, which lowers it again. */
static inline bool guard_raise(enum guard_layer layer)
{
	bool outermost = !guard_is_up(layer);
	guard_layers |= layer;
	return outermost;
}

static inline void guard_lower(enum guard_layer layer)
{
	guard_layers &= ~(uint32_t)layer;
}

/* False: this thread is inside the shim already; forward and do nothing. */
static inline bool guard_enter(int *saved_errno)
{
	if (!guard_raise(GUARD_SHIM))
		return false;
	*saved_errno = errno;
	return true;
}

static inline void guard_leave(int saved_errno)
{
	errno = saved_errno;
	guard_lower(GUARD_SHIM);
}

#endif
