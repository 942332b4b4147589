/* How the time of a device's leaves lies on its steps: of each idle and NCCL leaf how many steps
 * have how much of it, by powers of two, and which has most. Memory does not grow with the steps.
 */
#ifndef ATTRIBUTE_STEP_LEAVES_H
#define ATTRIBUTE_STEP_LEAVES_H

#include "steps/markers.h"
#include "summary/summary.h"

enum { STEP_OCTAVES = 63 }; /* times are at most 2^62 */

struct step_octave {
	uint64_t steps;
	int64_t ns, worst_ns;
	int32_t worst;
};

struct step_leaves {
	const int64_t *ends; /* of the windows: ends[0] begins the first step; not owned */
	int32_t n_steps;
	struct step_octave (*octaves)[STEP_OCTAVES]; /* by leaf */
};

/* Goes along the steps once. Two of them may add to one step_leaves, each its own leaves. */
struct step_cursor {
	struct step_leaves *into; /* NULL: nobody asks */
	int32_t at;
	int64_t now_ns[LEAF_COUNT]; /* of step `at` */
};

/* n_steps 0: without steps nothing is kept. 0 or -ENOMEM. */
int step_leaves_open(struct step_leaves *leaves, const int64_t *ends, int32_t n_steps);
void step_leaves_close(struct step_leaves *leaves);

/* [from, to) lies in the windows and not before what was added last. */
void step_cursor_add(struct step_cursor *cursor, enum leaf leaf, int64_t from, int64_t to);
/* The last step is complete too. */
void step_cursor_finish(struct step_cursor *cursor);

/* 0 or -ENOMEM. */
int step_leaves_store(const struct step_leaves *leaves, const struct steps *steps,
					  struct summary *summary, const char *device);

/* What a step is called: the number of its marker, else its place among the counted ones, from 0.
 */
int64_t step_called(const struct steps *steps, int32_t step);

#endif
