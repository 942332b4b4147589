/* The one clock of the launch path: the CPU's counter where the kernel trusts it (constant,
 * non-stop, clocksource tsc), else CLOCK_MONOTONIC. Ticks become CLOCK_REALTIME in the writer
 * thread. */
#ifndef SHIM_CLOCK_H
#define SHIM_CLOCK_H

#include "base/guard.h"

#include <baton/live.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

extern SHIM_HIDDEN atomic_bool clock_counter; /* set by clock_open() */

static inline bool clock_is_counter(void)
{
	return atomic_load_explicit(&clock_counter, memory_order_relaxed);
}

/* Where clock_is_counter(). */
static inline uint64_t clock_counter_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

uint64_t clock_slow_ticks(void); /* CLOCK_MONOTONIC, ns */

static inline uint64_t clock_ticks(void)
{
	return __builtin_expect(clock_is_counter(), 1) ? clock_counter_ticks() : clock_slow_ticks();
}

/* Chooses the clock. Reads one file of /sys; once per process. */
void clock_open(void);
/* What `read` and a clock of the kernel's say at one moment: the tightest of a few tries, for a
 * thread that loses its core between the readings would have them milliseconds apart. */
void clock_tightest(uint64_t (*read)(void), clockid_t clock, uint64_t *ticks, int64_t *ns);
/* One (ticks, CLOCK_REALTIME) pair, the tightest of a few tries, and CLOCK_MONOTONIC as close to it
 * as a thread that may lose its core between the two can say: the rate of the ticks comes from it,
 * because nobody sets it. */
struct clock_moment {
	uint64_t ticks;
	int64_t realtime_ns;
	uint64_t raw_ticks;
	int64_t raw_ns;
};
void clock_pair(struct clock_moment *moment);

#endif
