/* A job whose thread runs all the time between two calls, by clocks that the sampler is given: each of
 * its rounds is a millisecond, in which the thread ran for a millisecond and waited for nothing. Its
 * trace, in the directory BATON_OUT, is for silence_check.py. Linked with the shim's objects. */
#include "base/clock.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "session.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUND_NS = 1000000, ROUNDS = 40 };

static _Atomic int rounds;
static int64_t begin_ns;

static bool in_sampler(void)
{
	char name[16] = "";
	return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "baton-sampler") == 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t ns = (int64_t)atomic_load(&rounds) * ROUND_NS;
	if (clock < 0) /* what a thread ran */
		ns += 1000000000;
	else if (clock == CLOCK_MONOTONIC && in_sampler())
		ns += begin_ns;
	else
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){ns / 1000000000, ns % 1000000000};
	return 0;
}

int usleep(useconds_t us)
{
	struct timespec t = {0, (long)us * 200};
	syscall(SYS_nanosleep, &t, NULL);
	atomic_fetch_add(&rounds, in_sampler());
	return 0;
}

/* schedstat as of a tick long ago, and nothing waited. */
ssize_t pread(int fd, void *to, size_t room, off_t at)
{
	static const char never[] = "7 0 1\n";
	if (!in_sampler())
		return syscall(SYS_pread64, fd, to, room, at);
	memcpy(to, never, sizeof(never));
	return sizeof(never) - 1;
}

static bool put(void)
{
	struct baton_lane *lane = lane_here();
	uint64_t now = clock_ticks();
	if (lane)
		lane_put(lane, (struct baton_slot){.begin = now,
										   .end = now,
										   .name = dict_literal("cudaLaunchKernel"),
										   .type = BATON_SLOT_CALL});
	return lane != NULL;
}

int main(void)
{
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	begin_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	session_configure();
	for (int i = 0; i < 8; i++) {
		if (!put())
			return 1;
		for (int from = atomic_load(&rounds); atomic_load(&rounds) < from + ROUNDS;)
			syscall(SYS_sched_yield);
	}
	return !put();
}
