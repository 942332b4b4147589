/* Do the steps of a set look alike? The own kernels of a set of steps are the names that at least
 * half of the steps have, each as often as in the median step. A step is complete when hardly any
 * own kernel is missing (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_OWN_KERNELS_H
#define STEPS_OWN_KERNELS_H

#include "steps/markers.h"

enum { OWN_LOOKS = 256 }; /* of more steps, every k-th is looked at */

struct own_kernels {
	uint32_t **of_name; /* per name: its launches in each step looked at, then after the last */
	uint32_t n_names;
	uint32_t looks;
	uint32_t stride;
	bool failed; /* out of memory */
};

struct step_fit {
	uint32_t looked;   /* steps; 0 when there are fewer than two */
	uint32_t complete; /* of those */
	uint32_t names;    /* own kernels that were looked for after the last step */
	/* by name: launches after the last step over those of a step, in thousandths */
	uint64_t after_p50, after_p10;
	uint64_t after, after_own; /* launches after the last step; those of own kernels */
	/* launches in the steps looked at; those of own kernels, half as many again as in the median
	 * step at most */
	uint64_t launches, own;
};

/* For names below n_names and n_steps steps. 0 or -ENOMEM. */
int own_kernels_open(struct own_kernels *own, uint32_t n_names, int32_t n_steps);
void own_kernels_close(struct own_kernels *own);

int own_kernels_name(struct own_kernels *own, uint32_t name); /* used by own_kernels_add() */

/* Adds a launch of the kernel `name` in a step, or STEP_AFTER; others are passed over. */
static inline void own_kernels_add(struct own_kernels *own, uint32_t name, int32_t step)
{
	uint32_t at = step == STEP_AFTER ? own->looks : (uint32_t)step / own->stride;
	if (step == STEP_BEFORE || (step >= 0 && (uint32_t)step % own->stride))
		return;
	if (!own->of_name[name] && own_kernels_name(own, name) != 0)
		return;
	own->of_name[name][at]++;
}

/* 0, or -ENOMEM, also when an addition had no memory. */
int own_kernels_judge(const struct own_kernels *own, struct step_fit *fit);

/* The launches of a name in the median step; 0 for one that is no own kernel, or of a single step. */
uint32_t own_kernels_usual(const struct own_kernels *own, uint32_t name);

/* Are there so many whole steps after the last one that its marks stopped too early? */
bool step_fit_goes_on(const struct step_fit *fit, int32_t n_steps);

#endif
