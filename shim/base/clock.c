#include "base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The first of what is SHIM_HOT, which is 16 bytes: so aligned it lies in one cache line. */
_Alignas(16) SHIM_HOT atomic_bool clock_counter;

/* The kernel uses the counter as its own clock: then it is constant, non-stop and the same on all
 * cores. */
static bool counter_trusted(void)
{
#if defined(__aarch64__)
	return true;
#elif defined(__x86_64__)
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
				  O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, name, sizeof(name) - 1);
	close(fd);
	return n >= 3 && strncmp(name, "tsc", 3) == 0;
#else
	return false;
#endif
}

uint64_t clock_slow_ticks(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_open(void)
{
	clock_counter = counter_trusted();
}

void clock_tightest(uint64_t (*read)(void), clockid_t clock, uint64_t *ticks, int64_t *ns)
{
	uint64_t tightest = UINT64_MAX;
	for (int i = 0; i < 7; i++) {
		struct timespec t;
		uint64_t before = read();
		clock_gettime(clock, &t);
		uint64_t after = read();
		if (after - before >= tightest)
			continue;
		tightest = after - before;
		*ticks = before + tightest / 2;
		*ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	}
}

static uint64_t ticks_now(void)
{
	return clock_ticks();
}

/* Without the counter a reading can be a system call, and this is done in each round of the writer:
 * a pair of which the thread plainly kept its core is enough. */
void clock_pair(struct clock_moment *moment)
{
	const uint64_t enough = clock_is_counter() ? 0 : 10000; /* ns */
	struct clock_moment now;
	uint64_t closest = UINT64_MAX;
	for (int i = 0; i < 3 && closest > enough; i++) {
		clock_tightest(ticks_now, CLOCK_MONOTONIC, &now.raw_ticks, &now.raw_ns);
		clock_tightest(ticks_now, CLOCK_REALTIME, &now.ticks, &now.realtime_ns);
		if (now.ticks - now.raw_ticks >= closest)
			continue;
		closest = now.ticks - now.raw_ticks;
		*moment = now;
	}
}
