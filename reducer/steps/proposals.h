/* What the launches of one rank would make steps: its periodicity, and for each kernel the bursts in
 * which it is launched. One rank cannot know which of them the program means (a stage of a pipeline
 * sees its micro-batches); the ranks of a run together can. */
#ifndef STEPS_PROPOSALS_H
#define STEPS_PROPOSALS_H

#include "steps/sequence.h"

#include <stdbool.h>

enum {
	PROPOSAL_LEAST = 500, /* thousandths: less convincing ones are not kept */
	CONSENSUS_LEAST = 600 /* mean over the ranks */
};

struct proposal {
	uint32_t n;       /* steps */
	uint32_t quality; /* thousandths: complete steps times launches of own kernels */
	int64_t *begins;  /* n launch times */
	int64_t end_ns;   /* of the last step */
};

struct proposals {
	struct proposal *at;
	size_t n;
};

/* All that are convincing. `marks` must be sorted by launch_ns, with symbols below n_names; `period`:
 * what period_find() found. 0 or -ENOMEM. */
int proposals_find(const struct launch_mark *marks, size_t n_marks, uint32_t n_names,
				   const int64_t *period, size_t n_period, struct proposals *out);
/* The bursts of the kernels with flags[name] alone. */
int proposals_of_names(const struct step_marks *marks, const bool *flags, struct proposals *out);
void proposals_free(struct proposals *proposals);

/* Do two ranks have the same number of steps? */
bool proposals_near(uint32_t n, uint32_t other);
/* The best proposal of about n steps; NULL: none. */
const struct proposal *proposals_best(const struct proposals *proposals, uint32_t n);
/* The number of steps on which the ranks agree best, of equals the smallest; 0: on none. */
uint32_t proposals_agree(const struct proposals *ranks, size_t n_ranks);

#endif
