/* A thread's way into the recording: its ring of slots in the live file. One producer, the thread
 * itself; the writer thread consumes. Full means dropped and counted, never blocked. */
#ifndef SHIM_LANE_H
#define SHIM_LANE_H

#include "guard.h"

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

extern SHIM_TLS struct baton_lane *lane_mine;
extern bool lane_started;
extern uint32_t lane_generation; /* of this process: + 1 in a forked child */

/* The slow path: starts recording in this process when it has not begun (first CUDA call), and
 * opens this thread's lane. NULL: nothing is recorded here. Guarded, errno kept. */
struct baton_lane *lane_open(void);

/* Once per process, before the first lane is opened. */
void lane_prepare(void);
/* A thread record for the calling thread; its id, 0 when there is no room. */
uint32_t lane_thread_record(const char *name);

static inline struct lane *lane_own(struct baton_lane *shared)
{
	return (struct lane *)shared->producer;
}

/* This thread's lane, NULL when nothing is recorded. */
static inline struct baton_lane *lane_here(void)
{
	struct baton_lane *lane = lane_mine;
	if (SHIM_LIKELY(lane && lane_own(lane)->generation == lane_generation))
		return lane;
	return lane_open();
}

/* Is anything recorded in this process yet? For hooks that must not be the ones to begin. */
static inline bool lane_running(void)
{
	return lane_started;
}

/* Half a ring was filled: the writer thread need not wait for its next turn. */
void lane_half(void);

/* Counts a slot that found no room. */
static inline void lane_drop(struct baton_lane *shared, const struct baton_slot *slot)
{
	_Atomic uint64_t *counts[] = {&shared->dropped, &shared->dropped_launches};
	for (int i = 0; i < ((slot->flags & BATON_SLOT_MAKES_OP) ? 2 : 1); i++)
		atomic_store_explicit(counts[i], atomic_load_explicit(counts[i], memory_order_relaxed) + 1,
							  memory_order_relaxed);
}

static inline void lane_put(struct baton_lane *shared, struct baton_slot slot)
{
	struct lane *lane = lane_own(shared);
	if (SHIM_UNLIKELY(lane->head - lane->tail_seen > lane->mask)) {
		lane->tail_seen = atomic_load_explicit(&shared->tail, memory_order_acquire);
		if (lane->head - lane->tail_seen > lane->mask) {
			lane_drop(shared, &slot);
			return;
		}
	}
	lane->slots[lane->head & lane->mask] = slot;
	atomic_store_explicit(&shared->head, ++lane->head, memory_order_release);
	if (SHIM_UNLIKELY((lane->head & lane->mask >> 1) == 0))
		lane_half();
}

#endif
