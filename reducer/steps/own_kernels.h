/* Do the steps of a set look alike? The own kernels of a set of steps are the names that at least
 * half of the steps have, each as often as in the median step. A step is complete when hardly any
 * own kernel is missing (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_OWN_KERNELS_H
#define STEPS_OWN_KERNELS_H

#include "steps/markers.h"

enum { OWN_LOOKS = 256 }; /* of more steps, every k-th is looked at */

struct own_kernels {
	/* per name: its launches in each step looked at, then after the last one, then before the first */
	uint32_t **of_name;
	uint64_t inside, outside; /* launches in steps, also those that are not looked at, and others */
	uint32_t n_names;
	uint32_t looks;
	uint32_t stride;
	bool failed; /* out of memory */
	/* of the launch before: its step, that step's place in `of_name`, whether it is looked at */
	int32_t step;
	uint32_t at;
	bool looked_at;
};

struct step_fit {
	uint32_t looked;   /* steps; 0 when there are fewer than two */
	uint32_t complete; /* of those */
	uint32_t names;    /* own kernels that were looked for after the last step */
	/* by name: launches after the last step over those of a step, in thousandths */
	uint64_t after_p50, after_p10;
	uint64_t after, after_own;       /* launches after the last step; those of own kernels */
	uint64_t around_p50, around_p10; /* as after_p50: before the first step and after the last */
	uint64_t inside, outside;        /* launches in steps, and others */
	/* launches in the steps looked at; those of own kernels, half as many again as in the median
	 * step at most */
	uint64_t launches, own;
};

/* For names below n_names and n_steps steps. 0 or -ENOMEM. */
int own_kernels_open(struct own_kernels *own, uint32_t n_names, int32_t n_steps);
void own_kernels_close(struct own_kernels *own);

/* Used by own_kernels_add(): a name, or another step, comes. */
int own_kernels_name(struct own_kernels *own, uint32_t name);
void own_kernels_turn(struct own_kernels *own, int32_t step);

/* Adds a launch of the kernel `name` in a step, STEP_BEFORE or STEP_AFTER. */
static inline void own_kernels_add(struct own_kernels *own, uint32_t name, int32_t step)
{
	if (step != own->step)
		own_kernels_turn(own, step);
	own->inside += step >= 0;
	own->outside += step < 0;
	if (!own->looked_at || (!own->of_name[name] && own_kernels_name(own, name) != 0))
		return;
	own->of_name[name][own->at]++;
}

/* 0, or -ENOMEM, also when an addition had no memory. */
int own_kernels_judge(const struct own_kernels *own, struct step_fit *fit);

/* The launches of a name in the median step; 0 for one that is no own kernel, or of a single step. */
uint32_t own_kernels_usual(const struct own_kernels *own, uint32_t name);

/* Are there so many whole steps after the last one that its marks stopped too early? */
bool step_fit_goes_on(const struct step_fit *fit, int32_t n_steps);
/* Are more than half of the launches outside of the steps? And are whole steps among those? */
bool step_fit_covers_little(const struct step_fit *fit);
bool step_fit_like_around(const struct step_fit *fit);
/* Do the steps hold at least half of the launches, and are they alike? */
bool step_fit_convinces(const struct step_fit *fit);

#endif
