/* Is a difference between two runs more than noise? (docs/ATTRIBUTION.md section 7, "Noise of a
 * comparison".) Pure: summaries in, numbers out. */
#ifndef CONCLUDE_CHANGE_H
#define CONCLUDE_CHANGE_H

#include "conclude/scaling.h"

struct change_range {        /* of a difference, ns per step */
	int64_t low_ns, high_ns; /* where it may be if other steps had been recorded */
	bool changed;            /* that lacks 0, and the difference is not too small to matter */
};

struct change { /* of one run against the base */
	bool known; /* both have enough steps, each with its times */
	struct change_range loss, terms[LEAF_COUNT];
};

/* `run` and `base`: with what scaling_compute() filled in. 0 or -ENOMEM. */
int change_find(const struct summary *summary, const struct scaling_run *run,
				const struct summary *base_summary, const struct scaling_run *base,
				struct change *change);

/* How far the range is from its middle. */
static inline int64_t change_half_ns(const struct change_range *range)
{
	return (range->high_ns - range->low_ns) / 2;
}

#endif
