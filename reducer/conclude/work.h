/* Did two runs do the same work, kernel by kernel, and how fast was the GPU at it?
 * (docs/ATTRIBUTION.md section 7, "Different work", "The same kernels, slower".) Pure: summaries
 * in, numbers out. */
#ifndef CONCLUDE_WORK_H
#define CONCLUDE_WORK_H

#include "conclude/change.h"

enum work_other {                 /* why two runs are no measure of each other */
				  WORK_AS_WANTED, /* they are one */
				  WORK_STEP_AND_RUN,
				  WORK_WINDOWS,
				  WORK_KERNELS
};

struct work { /* of a run against the base */
	enum work_other other;
	double shared;       /* 0 to 1: launches of a step that both have, of those of the larger */
	double matmuls[2];   /* launches per step and device: base, run */
	double slower;       /* the same kernels take so much longer: 0.07. NAN: not all alike */
	int32_t slower_rank; /* mostly those of this rank; -1: of all */
	double base_slower;  /* in the base a rank's kernels take so much longer than the run's */
	int32_t base_slower_rank; /* which; -1: none has most of the difference */
};

/* All but the speed, of which nothing is known then. Of the scaling it asks only what fits. `chosen`:
 * the caller says how the work of the runs goes together (--scaling). 0 or -ENOMEM. */
int work_find_other(const struct change_sides *sides, bool chosen, struct work *work);
/* The speed of the same kernels, after work_find_other(). 0 or -ENOMEM. */
int work_find_slower(const struct change_sides *sides, const struct change *change,
					 struct work *work);

/* The name in JSON; NULL for WORK_AS_WANTED. */
const char *work_other_name(enum work_other other);

#endif
