/* A recording of a part of its job: it waits, opens, ends and is over, once in a process. It opens
 * and ends at instants of CLOCK_MONOTONIC, the same for all processes of a host, or with
 * cudaProfilerStart and cudaProfilerStop. Outside of it CUPTI is told to send nothing and no hook
 * records. Without BATON_WINDOW it is open all the time. */
#ifndef SHIM_WINDOW_H
#define SHIM_WINDOW_H

#include "ring/lane.h"

#include <stdbool.h>
#include <stdint.h>

/* ENDS: no call that begins now is recorded; those that began in the window are, and the GPU works
 * at what they launched. */
enum window_phase { WINDOW_OPEN, WINDOW_WAITS, WINDOW_ENDS, WINDOW_OVER };

extern SHIM_HIDDEN _Atomic int window_phase;
extern SHIM_HIDDEN _Atomic uint64_t window_begin_ticks, window_end_ticks;
/* When its time will be over, for calls that begin before the writer thread has had its turn. */
extern SHIM_HIDDEN _Atomic uint64_t window_until_ticks;

/* BATON_WINDOW, as docs/RECORD.md has it. Not understood: there is no window. */
void window_configure(const char *value);
/* In a forked child: its own begins anew. */
void window_forget(void);
bool window_asked(void);
/* Is it over for a process that has not begun to record? Then nothing is. */
bool window_missed(void);

/* The recording has begun: opens the window, or leaves it to the writer thread or to
 * cudaProfilerStart. */
void window_start(void);
/* CUPTI has been tried: perhaps inside the launch that began the recording, in an open window. */
void window_cupti_tried(void);
/* Opens a window that waits for its time, once that has come; how long to wait for it. By the
 * writer thread. */
int64_t window_attend(void);
struct clock_moment;
/* Sets window_until_ticks; `mult` as in struct baton_clock_map. */
void window_expect(const struct clock_moment *now, uint64_t mult);
/* Ends an open window when its time is over. True: it has ended. */
bool window_ended(void);
/* `ns`, or less when the window ends before. */
int64_t window_until_end(int64_t ns);
void window_close(void);
/* What it recorded has arrived, as far as it will: CUPTI stops. */
void window_finish(void);

/* CLOCK_REALTIME ns; false: it never opened. The end is 0 while it is open. */
bool window_times(int64_t *begin_ns, int64_t *end_ns);

/* cudaProfilerStart has returned; cudaProfilerStop is about to begin. */
void window_range_begins(void);
void window_range_ends(void);
bool window_by_range(void);
/* Somebody else speaks of its end. */
bool window_is_quiet(void);

/* Are there calls to be recorded, or to be finished? */
static inline bool window_records(void)
{
	int phase = atomic_load_explicit(&window_phase, memory_order_acquire);
	return phase == WINDOW_OPEN || phase == WINDOW_ENDS;
}

static inline bool window_ends(void)
{
	return atomic_load_explicit(&window_phase, memory_order_acquire) == WINDOW_ENDS;
}

static inline bool window_is_over(void)
{
	return atomic_load_explicit(&window_phase, memory_order_relaxed) == WINDOW_OVER;
}

/* Does somebody open it now? CUPTI is told to send already. */
bool window_opens(void);

static inline bool window_waits(void)
{
	return atomic_load_explicit(&window_phase, memory_order_acquire) == WINDOW_WAITS;
}

/* For a range that began at `begin` and ends now, behind the window's end: the lane that takes the
 * part of it that lies in the window. NULL: no part, or it is too late. */
static inline struct baton_lane *window_cuts(uint64_t begin)
{
	if (SHIM_LIKELY(atomic_load_explicit(&window_phase, memory_order_acquire) != WINDOW_ENDS) ||
		begin > atomic_load_explicit(&window_end_ticks, memory_order_relaxed))
		return NULL;
	struct baton_lane *lane = lane_mine;
	return lane && lane_own(lane)->generation == lane_generation ? lane : NULL;
}

#endif
