/* A timeline put in order: all steps and data-parallel ranks have the same operations, so one of
 * them, the pattern, says what waits for what, and the others only have other times. */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include "timeline/op_kinds.h"
#include "timeline/op_rows.h"

#include <stdbool.h>

struct timeline {
	const struct op_row *rows; /* by step, data-parallel rank, stage, kind, start */
	size_t n_rows;
	uint32_t n_ops;    /* of a data-parallel rank in a step: the pattern, all stages */
	uint32_t n_stages; /* numbered from 0 */
	uint32_t n_dp;
	uint32_t *dp;   /* their ranks, ascending */
	int32_t *ranks; /* [stage * n_dp + index of the dp rank]: the worker's rank in the job */
	bool ranks_given;
	uint32_t n_steps;
	size_t *steps; /* the first row of each; its rows: n_dp times n_ops */
	uint32_t steps_left_out;
	char odd[128]; /* why the first of them was left out */
};

/* Sorts the rows, which have to live as long as the timeline. Steps that lack operations are left
 * out. 0; -EBADMSG: it is no timeline, `trouble` says why; -ENOMEM. */
int timeline_arrange(struct op_rows *rows, struct timeline *timeline,
					 char trouble[OP_TROUBLE_BYTES]);
void timeline_free(struct timeline *timeline);

/* Operation `op` of the pattern, as data-parallel rank number `dp` did it in step number `step`. */
static inline const struct op_row *timeline_op(const struct timeline *t, uint32_t step, uint32_t dp,
											   uint32_t op)
{
	return &t->rows[t->steps[step] + (size_t)dp * t->n_ops + op];
}

/* From the first begin to the last end of a step. */
int64_t timeline_step_ns(const struct timeline *timeline, uint32_t step);

#endif
