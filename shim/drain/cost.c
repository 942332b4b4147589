#include "drain/cost.h"

#include "base/clock.h"
#include "drain/trace.h"
#include "ring/dict.h"
#include "sources/silence/silence.h"

#include <baton/live.h>
#include <baton/format.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What one recorded call takes on the thread that makes it: the same stores and clock reads, timed
 * in a row. The shortest of some laps: in the others this thread lost its core, or warmed up. */
static uint64_t slot_cost_ns(void)
{
	enum { ROUNDS = 512 };
	static struct baton_slot scratch[ROUNDS];
	int64_t least = INT64_MAX;
	for (int lap = 0; lap < 5; lap++) {
		int64_t begin = clock_ns(CLOCK_MONOTONIC);
		for (unsigned i = 0; i < ROUNDS; i++) {
			scratch[i].begin = clock_ticks();
			scratch[i].correlation = i;
			scratch[i].end = clock_ticks();
		}
		int64_t ns = clock_ns(CLOCK_MONOTONIC) - begin;
		least = ns < least ? ns : least;
		__asm__ volatile("" ::"r"(scratch) : "memory"); /* they are stored */
	}
	return (uint64_t)least / ROUNDS;
}

/* The launch path's share, which the job pays, is a cost; our own threads' share is told beside it.
 */
void cost_tell(uint64_t calls)
{
	static const char path[] = "calls, each with two timestamps and a slot";
	struct baton_r_cost row = {.what = dict_string(path, strlen(path)),
							   .ns = calls * slot_cost_ns()};
	char text[32];
	trace_record(BATON_R_COST, &row, sizeof(row));
	snprintf(text, sizeof(text), "%lld", (long long)clock_ns(CLOCK_THREAD_CPUTIME_ID));
	trace_meta("writer thread's CPU, ns", text);
	snprintf(text, sizeof(text), "%lld", (long long)silence_cpu_ns());
	trace_meta("sampler thread's CPU, ns", text);
}
