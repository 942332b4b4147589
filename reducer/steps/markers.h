/* Steps from markers (docs/ATTRIBUTION.md section 2): where they begin, which one a launch belongs
 * to. */
#ifndef STEPS_MARKERS_H
#define STEPS_MARKERS_H

#include "classify/host_names.h"
#include "read/trace.h"

enum {
	STEP_BEFORE = -1,
	STEP_AFTER = -2
}; /* a launch before the first, after the last or in a cut step */

struct marker {
	int64_t begin_ns;
	int64_t end_ns;
	int64_t number; /* -1 none */
	bool partial;
	int32_t step; /* 0-based; STEP_AFTER when cut */
};

struct steps {
	struct marker *markers; /* by begin */
	size_t n_markers;
	int32_t n_steps; /* counted ones; 0: no markers, everything is one step */
	uint64_t cut;
	enum marker_form form;
};

/* Finds the markers of one process. 0 or -errno. */
int steps_find(struct trace *trace, const struct host_names *names, const char *step_range,
			   struct steps *out);
/* Steps that begin at the given launch times (periodicity); the last ends at end_ns. 0 or -ENOMEM.
 */
int steps_from_begins(const int64_t *begins_ns, size_t n, int64_t end_ns, struct steps *out);
/* Cuts the steps that end after the last launch whose op was delivered: what is after it was in
 * flight when the process ended. */
void steps_cut_undelivered(struct steps *steps, int64_t last_launch_ns);
void steps_free(struct steps *steps);

/* The step that owns a launch, 0 for everything when there are no markers; and [*from, *to) around
 * the launch: others that begin in there belong to it too. */
int32_t steps_around(const struct steps *steps, int64_t launch_ns, int64_t *from, int64_t *to);
/* The number a step's marker carries, -1 when it has none. */
int64_t steps_number(const struct steps *steps, int32_t step);

#endif
