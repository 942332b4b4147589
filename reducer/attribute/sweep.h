/* Working time: each instant counts for the op with the best rank of those that run
 * (docs/ATTRIBUTION.md section 3). Ops must be passed in order of start. Memory is proportional to
 * the ops that run at once. */
#ifndef ATTRIBUTE_SWEEP_H
#define ATTRIBUTE_SWEEP_H

#include "attribute/step_leaves.h"

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
};

/* Adds an op of `rank` that begins at `start`, not before any earlier op. With RANK_WAIT it becomes
 * RANK_TRANSFER at `turns`; other ranks ignore `turns`. 0 or -ENOMEM. */
int sweep_op(struct sweep *sweep, enum work_rank rank, int64_t start, int64_t turns, int64_t end);
/* Call after the last sweep_op(): counts the ops to their ends. */
void sweep_finish(struct sweep *sweep);
void sweep_free(struct sweep *sweep);

#endif
