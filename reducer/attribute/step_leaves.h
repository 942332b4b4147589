/* How the idle and NCCL time of a device is distributed over its steps. For each leaf it counts the
 * steps by how much of the leaf they have, in powers of two, and keeps the step with the most. It
 * also keeps how much each step has, up to a number of cells (summary/series.h). Memory does not
 * grow with the number of steps beyond that. */
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
	const int64_t *ends; /* the ends of the windows; the first step begins at ends[0]; not owned */
	int32_t n_steps;
	struct step_octave (*octaves)[STEP_OCTAVES]; /* by leaf */
	int64_t width;                               /* steps of a cell */
	size_t n_cells;
	int64_t *cells; /* by leaf: n_cells each */
};

/* Walks along the steps once. Two cursors may add to one step_leaves if each adds its own
 * leaves. */
struct step_cursor {
	struct step_leaves *into; /* NULL: the result is not wanted */
	int32_t at;
	int64_t now_ns[LEAF_COUNT]; /* of step `at` */
};

/* Keeps at most `most` cells; with n_steps 0 nothing is kept. 0 or -ENOMEM. */
int step_leaves_open(struct step_leaves *leaves, const int64_t *ends, int32_t n_steps, size_t most);
void step_leaves_close(struct step_leaves *leaves);

/* The part of step_cursor_add() for intervals that go into the next step. */
void step_cursor_cross(struct step_cursor *cursor, enum leaf leaf, int64_t from, int64_t to);

/* Adds [from, to), which lies within the windows and not before the interval added last. */
static inline void step_cursor_add(struct step_cursor *cursor, enum leaf leaf, int64_t from,
								   int64_t to)
{
	const struct step_leaves *into = cursor->into;
	if (!into || leaf <= LEAF_WORK_GRAPH || cursor->at >= into->n_steps)
		return;
	const int64_t end = into->ends[cursor->at + 1];
	if (from < end && to <= end)
		cursor->now_ns[leaf] += to - from;
	else
		step_cursor_cross(cursor, leaf, from, to);
}
/* Call after the last step_cursor_add(): completes the last step. */
void step_cursor_finish(struct step_cursor *cursor);

/* Adds the distribution and the series to the summary, for the device with the key `device`. 0 or -ENOMEM. */
int step_leaves_store(const struct step_leaves *leaves, const struct steps *steps,
					  struct summary *summary, const char *device);

/* The name of a step in reports: the number of its marker, else its place among the counted steps
 * of the run. */
int64_t step_called(const struct steps *steps, int32_t step);

#endif
