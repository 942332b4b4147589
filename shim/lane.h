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
extern uint32_t lane_generation; /* of this process: + 1 in a forked child */
extern atomic_bool lane_started; /* this process records; false again in a forked child */

/* Does this process record already? For the hooks that must not be what starts it. */
static inline bool lane_running(void)
{
	return atomic_load_explicit(&lane_started, memory_order_acquire);
}

/* The slow path: starts recording in this process when it has not begun (first CUDA call), and
 * opens this thread's lane. NULL: nothing is recorded here. Guarded, errno kept. */
struct baton_lane *lane_open(void);

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

/* Room for `n` slots in a row, counted as dropped when there is none. */
static inline bool lane_room(struct baton_lane *shared, unsigned n)
{
	struct lane *lane = lane_own(shared);
	if (SHIM_LIKELY(lane->head + n - lane->tail_seen <= lane->mask + 1))
		return true;
	lane->tail_seen = atomic_load_explicit(&shared->tail, memory_order_acquire);
	if (lane->head + n - lane->tail_seen <= lane->mask + 1)
		return true;
	atomic_store_explicit(&shared->dropped,
						  atomic_load_explicit(&shared->dropped, memory_order_relaxed) + n,
						  memory_order_relaxed);
	return false;
}

static inline void lane_put(struct baton_lane *shared, struct baton_slot slot)
{
	struct lane *lane = lane_own(shared);
	if (!lane_room(shared, 1))
		return;
	lane->slots[lane->head & lane->mask] = slot;
	atomic_store_explicit(&shared->head, ++lane->head, memory_order_release);
}

#endif
