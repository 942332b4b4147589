/* Working time: each instant counts for the op with the best rank of those that run
 * (docs/ATTRIBUTION.md section 3). Ops must be passed in order of start. Memory is proportional to
 * the ops that run at once. */
#ifndef ATTRIBUTE_SWEEP_H
#define ATTRIBUTE_SWEEP_H

#include "attribute/step_leaves.h"

#include <stdbool.h>
#include <stddef.h>

enum work_rank { /* of overlapping ops the first of these wins; also the order of the leaves */
				 RANK_MATMUL,
				 RANK_CUSTOM,
				 RANK_OTHER,
				 RANK_MEMORY,
				 RANK_GRAPH,
				 RANK_TRANSFER,
				 RANK_UNSPLIT,
				 RANK_WAIT,
				 RANK_COPY, /* copy_leaves_device() */
				 RANK_COUNT
};

struct sweep_change {
	int64_t at;
	int8_t ends;   /* the rank that ends; -1: none */
	int8_t begins; /* the rank that begins; -1: none */
};

struct sweep {
	int64_t window_from, window_to; /* only time inside counts */
	int64_t now;
	uint32_t running[RANK_COUNT];
	struct sweep_change *heap; /* by time, earliest first */
	size_t n_heap, heap_room;
	int64_t time_ns[LEAF_COUNT];
	struct step_cursor steps;
	int64_t hidden_ns;
	/* Called for each stretch, also outside the windows, in which NCCL waits for other ranks and
	 * nothing else runs, in order of time. 0 or -errno; NULL: not wanted. */
	int (*on_wait)(void *context, int64_t from, int64_t to);
	void *context;
	int error; /* the first of on_wait() */
};

/* Most ops run alone and end before the next one begins: [now, its end) is its rank's. True when it
 * was one of those. */
static inline bool sweep_end_single(struct sweep *sweep, int64_t to)
{
	const struct sweep_change *change = &sweep->heap[0];
	if (sweep->n_heap != 1 || change->at > to || change->begins >= 0 || change->ends == RANK_WAIT)
		return false;
	int64_t from = sweep->now > sweep->window_from ? sweep->now : sweep->window_from;
	int64_t until = change->at < sweep->window_to ? change->at : sweep->window_to;
	if (from < until) {
		sweep->time_ns[change->ends] += until - from;
		step_cursor_add(&sweep->steps, (enum leaf)change->ends, from, until);
	}
	sweep->running[change->ends] = 0;
	sweep->n_heap = 0;
	return true;
}

/* The part of sweep_reach() for ops that still run, or ran together. */
int sweep_go_on(struct sweep *sweep, int64_t to);
/* Counts the ops up to `to`. No later op may begin before it. 0 or -errno. */
static inline int sweep_reach(struct sweep *sweep, int64_t to)
{
	if (sweep->n_heap && !sweep_end_single(sweep, to))
		return sweep_go_on(sweep, to);
	sweep->now = to;
	return sweep->error;
}

/* The part of sweep_op() for ops beside others, and for those that wait. */
int sweep_op_beside(struct sweep *sweep, enum work_rank rank, int64_t turns, int64_t end);
/* Adds an op of `rank` that begins at `start`, not before any earlier op. With RANK_WAIT it becomes
 * RANK_TRANSFER at `turns`; other ranks ignore `turns`. 0 or -errno. */
static inline int sweep_op(struct sweep *sweep, enum work_rank rank, int64_t start, int64_t turns,
						   int64_t end)
{
	const int error = sweep_reach(sweep, start);
	if (error || start >= end)
		return error;
	if (sweep->n_heap || !sweep->heap_room || rank == RANK_WAIT)
		return sweep_op_beside(sweep, rank, turns, end);
	sweep->running[rank]++;
	sweep->heap[sweep->n_heap++] = (struct sweep_change){end, (int8_t)rank, -1};
	return 0;
}
/* Call after the last sweep_op(): counts the ops to their ends. 0 or -errno. */
int sweep_finish(struct sweep *sweep);
void sweep_free(struct sweep *sweep);

#endif
