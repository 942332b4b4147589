#include "busy.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static double loops_per_ns;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void loop(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : : "r"(i) : "memory");
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The fastest of a few: whatever disturbs makes it slower. */
static void calibrate(void)
{
	enum { LOOPS = 200000 };

	for (int i = 0; i < 10; i++) {
		int64_t begin = cpu_ns();
		double rate;

		loop(LOOPS);
		rate = LOOPS / (double)(cpu_ns() - begin + 1);
		if (rate > loops_per_ns)
			loops_per_ns = rate;
	}
}

void busy_ns(long ns)
{
	pthread_once(&once, calibrate);
	loop((uint64_t)((double)ns * loops_per_ns));
}
