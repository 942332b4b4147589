/* Working time: at each instant the best rank of the ops that run (docs/ATTRIBUTION.md section 3).
 * Ops come in order of start; memory is the ops that run at once. */
#ifndef ATTRIBUTE_SWEEP_H
#define ATTRIBUTE_SWEEP_H

#include "attribute/step_leaves.h"

#include <stddef.h>

enum work_rank { /* in the order in which overlapping ops win: also the order of the leaves */
				 RANK_MATMUL,
				 RANK_CUSTOM,
				 RANK_OTHER,
				 RANK_MEMORY,
				 RANK_GRAPH,
				 RANK_TRANSFER,
				 RANK_UNSPLIT,
				 RANK_WAIT,
				 RANK_COUNT
};

struct sweep_change {
	int64_t at;
	int8_t ends;   /* rank that ends, -1 none */
	int8_t begins; /* rank that begins, -1 none */
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

/* An op of `rank` begins at `start` (>= all before). With RANK_WAIT it turns into RANK_TRANSFER at
 * `turns`, else turns is ignored. 0 or -ENOMEM. */
int sweep_op(struct sweep *sweep, enum work_rank rank, int64_t start, int64_t turns, int64_t end);
/* Lets everything run out. */
void sweep_finish(struct sweep *sweep);
void sweep_free(struct sweep *sweep);

#endif
