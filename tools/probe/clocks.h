/* The clocks that the probe reads, in nanoseconds. */
#ifndef PROBE_CLOCKS_H
#define PROBE_CLOCKS_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clock_mono(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline int64_t clock_real(void)
{
	return clock_ns(CLOCK_REALTIME);
}

/* The processor's counter; 0 where we do not know how to read it. */
static inline uint64_t clock_ticks(void)
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

static inline void clock_sleep(int64_t ns)
{
	struct timespec wait = {ns / 1000000000, ns % 1000000000};

	nanosleep(&wait, NULL);
}

#endif
