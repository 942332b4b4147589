/* A thread's way into the recording: its ring of slots in the live file. One producer, the thread
 * itself; the writer thread consumes. Full means dropped and counted, never blocked. The order of
 * its loads and stores is modelled in tests/unit/ring_order_test.c. */
#ifndef SHIM_LANE_H
#define SHIM_LANE_H

#include "base/guard.h"
#include "base/recording.h"
#include "base/stop_point.h"

#include <baton/live.h>

struct lane { /* in struct baton_lane.producer: the producer's copies */
	struct baton_slot *slots;
	uint64_t mask;
	uint64_t head;
	uint64_t tail_seen;
	uint32_t generation;
	uint32_t thread;
};
_Static_assert(sizeof(struct lane) <= sizeof(((struct baton_lane *)0)->producer), "lane");

enum { LANE_AHEAD = 8 };

extern SHIM_TLS struct baton_lane *lane_mine;

/* The slow path: starts recording in this process when it has not begun (first CUDA call), and
 * opens this thread's lane. NULL: nothing is recorded here. Guarded, errno kept. */
struct baton_lane *lane_open(void);

/* There was no lane for a call: a launch is counted at least. */
void lane_unheard(bool launch);

/* Once per process, before the first lane is opened. */
void lane_prepare(void);
/* A thread record for the calling thread; its id, 0 when there is no room. */
uint32_t lane_thread_record(const char *name);
/* The same for another thread, or process. */
uint32_t lane_thread_record_of(const char *name, int64_t pid, int64_t tid);

/* What the sampler finds a lane's thread by. */
struct lane_owner {
	_Atomic(const void *) python; /* stack_thread() */
	_Atomic uint64_t thread;      /* pthread_self() */
};
struct lane_owner *lane_owner(unsigned index);

static inline struct lane *lane_own(struct baton_lane *shared)
{
	return (struct lane *)shared->producer;
}

/* This thread's lane, NULL when nothing is recorded. */
static inline struct baton_lane *lane_here(void)
{
	struct baton_lane *lane = lane_mine;
	if (SHIM_LIKELY(lane && lane_own(lane)->generation == recording_generation))
		return lane;
	return lane_open();
}

/* For a range that began at `begin` and ends now, after the window's end: the lane that takes the
 * part of it that lies in the window. NULL: no part does, or it is too late. */
static inline struct baton_lane *lane_for_cut(uint64_t begin)
{
	if (SHIM_LIKELY(!recording_is(RECORDING_ENDING)) ||
		begin > atomic_load_explicit(&recording_window.end_ticks, memory_order_relaxed))
		return NULL;
	struct baton_lane *lane = lane_mine;
	return lane && lane_own(lane)->generation == recording_generation ? lane : NULL;
}

/* Counts a slot that found no room. */
static inline void lane_drop(struct baton_lane *shared, const struct baton_slot *slot)
{
	const unsigned flags = slot->type == BATON_SLOT_CALL ? slot->flags : 0;
	const bool launch = flags & BATON_SLOT_MAKES_OP;
	baton_lane_lose(launch ? &shared->dropped_launches : &shared->dropped_others, 1);
	if (flags & (BATON_SLOT_MAKES_GRAPH | BATON_SLOT_MAKES_COPY))
		baton_lane_lose(&shared->dropped_work, 1);
}

/* Where the next slot goes, NULL when the ring is full. It counts once lane_commit() says so.
 * Filling it in place saves the copy of a structure whose parts were just stored. */
static inline struct baton_slot *lane_next(struct baton_lane *shared)
{
	struct lane *lane = lane_own(shared);
	if (SHIM_UNLIKELY(lane->head - lane->tail_seen > lane->mask)) {
		lane->tail_seen = atomic_load_explicit(&shared->tail, memory_order_acquire);
		if (lane->head - lane->tail_seen > lane->mask)
			return NULL;
	}
	return &lane->slots[lane->head & lane->mask];
}

/* Publishes `slot`, which lane_next() gave. The writer thread's core read the slots ahead a lap
 * ago, so their cache lines are fetched for writing in time. At the ring's end that prefetches
 * what lies after the ring, which is harmless. */
static inline void lane_commit(struct baton_lane *shared, const struct baton_slot *slot)
{
	struct lane *lane = lane_own(shared);
	__builtin_prefetch(slot + LANE_AHEAD, 1);
	uint64_t head = lane->head + 1;
	lane->head = head;
	atomic_store_explicit(&shared->head, head, memory_order_release);
}

static inline void lane_put(struct baton_lane *shared, struct baton_slot slot)
{
	struct baton_slot *next = lane_next(shared);
	if (!next) {
		lane_drop(shared, &slot);
		return;
	}
	*next = slot;
	STOP_POINT("slot");
	lane_commit(shared, next);
}

#endif
