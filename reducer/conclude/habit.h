/* A loss that a few steps have much more of than the others: their part, and the habit that all
 * have (docs/ATTRIBUTION.md section 7). Pure: a summary in, numbers out. */
#ifndef CONCLUDE_HABIT_H
#define CONCLUDE_HABIT_H

#include "summary/summary.h"

struct habit {    /* of a loss; times are per step, as its share is */
	size_t steps; /* that have more; 0: none stand out, and the rest is not known */
	int64_t rare_ns, rare_limit_ns;   /* what those have more than the others; its lower limit */
	int64_t every_ns, every_limit_ns; /* what all have */
};

/* Of a loss of some leaves on all devices, whose share is share_ns. 0 or -ENOMEM. */
int habit_find(const struct summary *summary, uint64_t leaves, int64_t share_ns, struct habit *out);

#endif
