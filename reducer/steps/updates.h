/* Steps by periodicity that are steps of training: what recurs most may be a layer or a micro-batch,
 * but the kernels of an optimizer come once a step (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_UPDATES_H
#define STEPS_UPDATES_H

#include "steps/period_memo.h"

#include <stdbool.h>

struct update_names { /* which kernels update weights; `is` NULL: not known */
	bool (*is)(void *context, uint32_t name);
	void *context;
};

enum updates {
	UPDATES_NONE, /* no kernel among the launches updates weights, or it is not known */
	UPDATES_OUT,  /* some do, but not in each step */
	UPDATES_IN    /* each step updates weights, near its end as a rule */
};

struct step_marks { /* launches, sorted */
	const struct launch_mark *at;
	size_t n;
	uint32_t n_names; /* symbols are below it */
};

/* As period_memo_find(). Where no kernel that most of those steps have updates weights, though there are
 * such kernels, the steps end with their bursts instead, if these are alike. 0 or -ENOMEM. */
int updates_find(struct period_memo *periods, const struct update_names *names,
				 const struct step_marks *marks, int64_t **begins, size_t *n, enum updates *update);

#endif
