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

struct updated_steps {
	int64_t *begins; /* n + 1 of them: the last one is where the last step ends; NULL: none */
	size_t n;
	enum updates update;
};

/* As period_memo_find(). Where no kernel that most of those steps have updates weights, though there are
 * such kernels, the steps end with their bursts instead, if these are alike. The caller frees
 * out->begins, also after an error. 0 or -ENOMEM. */
int updates_find(struct period_memo *periods, const struct update_names *names,
				 const struct step_marks *marks, struct updated_steps *out);

#endif
