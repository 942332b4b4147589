/* How long some kernels take in two runs, per step and device, and the noise of that. Pure. */
#ifndef CONCLUDE_KERNEL_CHANGE_H
#define CONCLUDE_KERNEL_CHANGE_H

#include "conclude/change.h"

#include <regex.h>

struct kernel_change { /* of all kernels whose name matches */
	double base_ns, run_ns;
	double half_ns; /* of the difference's range; NAN: not known */
	bool any;       /* some kernel matches */
};

struct counts;

#define NORMAL_99 2.576 /* 99 % of a normal distribution lie within so many deviations */

/* The sum of the squares of the distances from the mean. */
double kernel_change_squares(const struct counts *counts, double mean);
/* What all kernels vary by together from step to step (clocks): of the time of all work. NAN: not
 * known. */
double kernel_change_together(const struct change_sides *sides);

void kernel_change_find(const struct change_sides *sides, const struct change *change,
						const regex_t *pattern, struct kernel_change *out);

#endif
