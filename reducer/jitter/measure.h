/* What one step of one rank measures, kernel by kernel (docs/JITTER.md, Measures). */
#ifndef JITTER_MEASURE_H
#define JITTER_MEASURE_H

#include "jitter/step_ops.h"

enum jitter_cause { /* parts of the time to the last kernel before the closing collective */
					JITTER_DURATION,
					JITTER_GAP_BEFORE, /* between the steps */
					JITTER_GAP_INSIDE, /* until the launch began */
					JITTER_LAUNCH,     /* from the launch to the start */
					JITTER_CAUSES
};

enum stream_class { STREAM_MAIN, STREAM_NCCL, STREAM_SIDE, STREAM_CLASSES };

struct kernel_times {
	int64_t duration, gap, to_end; /* to_end without the gap before the step */
	int64_t launch;                /* from the launch to the start; INT64_MIN: no launch is known */
};

struct rank_step {
	bool counted;
	bool closed;    /* a collective closes it */
	int64_t reach;  /* from its first kernel to the end of the closing collective */
	int64_t to_end; /* at the last kernel before it, without the gap before the step */
	/* Parts of to_end, and of the time of the main stream's kernels after the closing collective.
	 * JITTER_GAP_BEFORE is 0 in both. */
	int64_t part[JITTER_CAUSES], tail[JITTER_CAUSES];
};

/* The stream with most kernels that are not NCCL's, of equals the one with the lower slot; 0: there
 * are none. `counts` has room for n_slots + 1. */
uint32_t measure_main_slot(const struct step_ops *ops, uint64_t *counts, uint32_t n_slots);

static inline enum stream_class measure_class(const struct jitter_op *op, uint32_t main_slot)
{
	return op->nccl ? STREAM_NCCL : op->slot == main_slot ? STREAM_MAIN : STREAM_SIDE;
}

struct step_frame {
	uint32_t main_slot;
	size_t closing; /* the op that closes the step; the number of its ops: none does */
};

/* `times` has room for ops->n. An op before the main stream's first kernel closes nothing. */
void measure_step(const struct step_ops *ops, const struct step_frame *frame,
				  struct kernel_times *times, struct rank_step *out);

#endif
