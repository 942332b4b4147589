/* One side of a comparison: the runs of one job, taken together. Their mean stands for the
 * job, and how far they lie apart says what differs from one run to the next. Pure: summaries in,
 * numbers out. */
#ifndef CONCLUDE_SIDE_H
#define CONCLUDE_SIDE_H

#include "conclude/by_step.h"
#include "conclude/figures.h"

struct side {
	const struct summary *const *summaries; /* one for each run */
	size_t n;
	struct figures *each; /* of each run */
	struct figures mean;  /* of all; the steps, their source and spread are the middle's */
	size_t middle;        /* the run whose step is nearest to the mean, the first of equals */
	int64_t busy_ns;      /* scaling_busy(), the mean */
};

/* The runs must have equally many devices. 0 or -ENOMEM; side_close() either way. */
int side_open(struct side *side, const struct summary *const *summaries, size_t n);
void side_close(struct side *side);

/* Does each run have at least so many steps, each with its times? */
bool side_has_steps(const struct side *side, int64_t least);

/* The means of the draws of some leaves, less their own mean: ns per step and device, averaged over
 * the runs. The random numbers begin with `state`. 0 or -ENOMEM. */
int side_draw(const struct side *side, uint64_t leaves, uint64_t state,
			  int64_t means[BY_STEP_DRAWS]);

/* The same of one run's steps. */
int side_draw_steps(const struct side *side, const struct by_step *steps, uint64_t state,
					int64_t means[BY_STEP_DRAWS]);

/* Between which of the runs has the least of some leaves and which has the most: ns per step. */
int64_t side_spread(const struct side *side, uint64_t leaves);
/* The same of a sum of which each leaf is a part: of its time, 0.5 is half of it. */
int64_t side_spread_of(const struct side *side, const double parts[LEAF_COUNT]);

static inline const struct summary *side_middle(const struct side *side)
{
	return side->summaries[side->middle];
}

#endif
