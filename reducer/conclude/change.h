/* Is a difference between two runs more than noise? (docs/ATTRIBUTION.md section 7, "Noise of a
 * comparison".) Pure: summaries in, numbers out. */
#ifndef CONCLUDE_CHANGE_H
#define CONCLUDE_CHANGE_H

#include "conclude/by_step.h"
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

struct change_steps { /* a term, and where it comes from in the middle runs, step by step */
	int64_t difference_ns;
	struct by_step run, base;
	double run_parts[LEAF_COUNT], base_parts[LEAF_COUNT]; /* of each leaf's time, how much */
};
/* The range of such a term. 0 or -ENOMEM. */
int change_range(const struct change_sides *sides, const struct change_steps *steps,
				 struct change_range *range);

/* What the run would have of the base's time: `ideal` / the base's step of it. */
int64_t change_scaled(const struct change_sides *sides, int64_t ns);

enum {
	/* steps and devices are divided in whole ns, so the ends of a range are off by a few */
	CHANGE_ROUNDING_NS = 10,
	CHANGE_MATTERS = 200 /* a difference of less than 1 / so much of the step is none */
};

static inline bool change_lacks_zero(const struct change_range *range)
{
	return range->low_ns > CHANGE_ROUNDING_NS || range->high_ns < -CHANGE_ROUNDING_NS;
}

/* How far the range is from its middle. */
static inline int64_t change_half_ns(const struct change_range *range)
{
	return (range->high_ns - range->low_ns) / 2;
}

#endif
