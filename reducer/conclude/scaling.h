/* Runs against each other: scaling efficiency and the loss bridge (design: Scaling). Pure: figures
 * in, rows out. */
#ifndef CONCLUDE_SCALING_H
#define CONCLUDE_SCALING_H

#include "conclude/figures.h"

enum scaling { SCALING_AUTO, SCALING_WEAK, SCALING_STRONG };

struct scaling_run {
	const struct figures *figures;
	int64_t busy_ns;   /* matmul + custom, per step and device */
	bool aside;        /* its work is another one: it has no say in how the others scale */
	int64_t ideal_ns;  /* the step this run would have if it scaled perfectly from the base */
	int64_t loss_ns;   /* step - ideal */
	double efficiency; /* ideal / step */
	double speed_up;   /* against the base, 1.0 for it */
	int64_t terms_ns[LEAF_COUNT]; /* per leaf, add up to loss_ns */
	int64_t residual_ns;          /* loss - sum of the terms: computed, 0 unless there is a bug */
	enum scaling fits; /* what this run looks like against the base; SCALING_AUTO: neither */
};

struct scaling_wanted {
	enum scaling scaling;
	bool first_is_base; /* else the run with the fewest GPUs is, the first of equals */
};

struct scaling_result {
	size_t base; /* its index */
	enum scaling scaling;
	bool sure;              /* every run that is not aside fits it, or the caller chose */
	double work_difference; /* largest relative difference of work per GPU from what the scaling
							   expects */
};

/* runs[i].figures, .busy_ns and .aside are given, the rest is filled. */
void scaling_compute(struct scaling_run *runs, size_t n, struct scaling_wanted wanted,
					 struct scaling_result *result);

/* busy matmul + custom time per step and device of a summary. */
int64_t scaling_busy(const struct summary *summary);

#endif
