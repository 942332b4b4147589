/* Is a difference between two runs more than noise? (docs/ATTRIBUTION.md section 7, "Noise of a
 * comparison".) Pure: summaries in, numbers out. */
#ifndef CONCLUDE_CHANGE_H
#define CONCLUDE_CHANGE_H

#include "conclude/scaling.h"
#include "conclude/side.h"

struct change_range {        /* of a difference, ns per step */
	int64_t low_ns, high_ns; /* where it may be if other steps had been recorded */
	bool changed;            /* that lacks 0, and the difference is not too small to matter */
};

struct change { /* of one run against the base */
	bool known; /* both have enough steps, each with its times */
	struct change_range loss, terms[LEAF_COUNT];
};

struct change_sides { /* the runs, with what scaling_compute() filled in */
	const struct side *side, *base_side;
	const struct scaling_run *run, *base;
};

/* 0 or -ENOMEM. */
int change_find(const struct change_sides *sides, struct change *change);
/* The range of a difference in some leaves together, where it is known. 0 or -ENOMEM. */
int change_of_leaves(const struct change_sides *sides, uint64_t leaves, int64_t difference_ns,
					 struct change_range *range);

/* How far the range is from its middle. */
static inline int64_t change_half_ns(const struct change_range *range)
{
	return (range->high_ns - range->low_ns) / 2;
}

#endif
