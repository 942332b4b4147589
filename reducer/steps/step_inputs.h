/* A step that is told by its kernels begins with the copies that feed them: its batch goes to the
 * device after the last kernel of the step before (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_STEP_INPUTS_H
#define STEPS_STEP_INPUTS_H

#include "steps/graph_steps.h"
#include "steps/sequence.h"

struct input_copies { /* launch times of copies from the host to the device */
	int64_t *at;
	size_t n, room;
};

/* 0 or -ENOMEM */
int step_inputs_add(struct input_copies *copies, int64_t launch_ns);
void step_inputs_free(struct input_copies *copies);
/* By time; before step_inputs_take(). */
void step_inputs_sort(struct input_copies *copies);
/* Moves a begin to the first copy after the last launch before it, of a kernel (`marks`, sorted) or
 * a graph (in any order). A begin that nothing was launched before stays: copies there may be the
 * model's. 0 or -ENOMEM. */
int step_inputs_take(const struct input_copies *copies, const struct launch_mark *marks,
					 size_t n_marks, const struct graph_launches *graphs, int64_t *begins,
					 size_t n);

#endif
