/* Does the GPU's clock of a source run early? It joins launches to their work by correlation id as
 * the rows of one process come by, in any order, in bounded memory: of more than GPU_CLOCK_MOST ids
 * it keeps every second one, then every fourth ... */
#ifndef IMPORT_GPU_CLOCK_H
#define IMPORT_GPU_CLOCK_H

#include "base/table.h"

#include <stdbool.h>

enum { GPU_CLOCK_MOST = 1 << 18 };

struct gpu_clock_pair {
	uint64_t correlation;
	int64_t call_ns; /* begin of the outermost call, when has_call */
	int64_t op_ns;   /* start of the first op, when has_op */
	bool has_call, has_op;
};

struct gpu_clock { /* all zero: empty */
	struct gpu_clock_pair *pairs;
	size_t n;
	struct table ids;
	unsigned thinned; /* of 2^thinned ids one is kept */
};

/* 0 or -ENOMEM. */
int gpu_clock_call(struct gpu_clock *clock, uint64_t correlation, int64_t start_ns);
int gpu_clock_op(struct gpu_clock *clock, uint64_t correlation, int64_t start_ns);
void gpu_clock_free(struct gpu_clock *clock);

/* What has to be added to the GPU's times so that no work starts sooner after its launch than
 * LAG_FLOOR_USUAL_NS. 0 when none starts before it. */
int64_t gpu_clock_shift_ns(const struct gpu_clock *clock);

#endif
