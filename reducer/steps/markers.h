/* Steps from markers (docs/ATTRIBUTION.md section 2): where they begin, and to which one a launch
 * belongs. */
#ifndef STEPS_MARKERS_H
#define STEPS_MARKERS_H

#include "classify/host_names.h"
#include "classify/step_range.h"
#include "read/trace.h"
#include "steps/loops.h"

enum {
	STEP_BEFORE = -1,
	STEP_AFTER = -2
}; /* not in a counted step: a launch before the first, or after the last or in a cut one */

enum { STEPS_UNIT_BYTES = 360 };

struct marker {
	int64_t begin_ns;
	int64_t end_ns;
	int64_t number; /* -1: none */
	bool partial;
	bool empty;      /* steps_cut_empty(): not counted as cut */
	uint32_t thread; /* index in the trace; 0: not known */
	int32_t step;    /* 0-based; STEP_BEFORE or STEP_AFTER when cut */
};

struct steps {
	struct marker *markers; /* by begin */
	size_t n_markers;
	int32_t n_steps; /* counted steps; 0: there are no markers, and everything is one step */
	/* steps before the first counted one, and after the last, that steps_keep() left out */
	int32_t left, left_after;
	uint64_t cut;
	enum marker_form form;
	bool numbered;               /* some marker has a number */
	char unit[STEPS_UNIT_BYTES]; /* how often other optimizers step in a step; "": once, or none */
	struct loop_choice loop;     /* whose they are where threads train by themselves */
};

/* By which names ranges are markers. */
struct step_names {
	const struct host_names *names;
	const struct step_range *range; /* --step-range; NULL: the names that are known */
	const uint64_t *launches;       /* by thread, for loops_choose() */
};

/* May a range of this category (enum baton_range_category) mark a step? */
static inline bool steps_may_mark(int category)
{
	return category >= BATON_RANGE_NVTX && category <= BATON_RANGE_MARK &&
		   category != BATON_RANGE_PYTHON;
}

/* Finds the markers of one process. 0 or -errno. */
int steps_find(struct trace *trace, const struct step_names *by, struct steps *out);
/* Makes steps that begin at the given launch times; the last one ends at end_ns. 0 or -ENOMEM. */
int steps_from_begins(const int64_t *begins_ns, size_t n, int64_t end_ns, struct steps *out);
/* Cuts the steps that end after `last_launch_ns`, the last launch whose op was delivered. Later ops
 * were in flight when the process ended. */
void steps_cut_undelivered(struct steps *steps, int64_t last_launch_ns);
/* The last n counted steps are none: each ends the one before it. `cut` stays, for nothing is lost. */
void steps_cut_empty(struct steps *steps, int32_t n);
/* Counts only the steps from..to, by their numbers, else by their places. How many there are; 0:
 * none, and nothing was changed. */
int32_t steps_keep(struct steps *steps, int64_t from, int64_t to);
/* The same for the steps that begin in [from_ns, to_ns); `cut` is then of those too. */
int32_t steps_keep_time(struct steps *steps, int64_t from_ns, int64_t to_ns);
void steps_free(struct steps *steps);

/* The step to which a launch belongs: STEP_BEFORE, STEP_AFTER or an index; 0 for every launch when
 * there are no steps. Other launches in [*from, *to) belong to the same step. */
int32_t steps_around(const struct steps *steps, int64_t launch_ns, int64_t *from, int64_t *to);
/* The number in the name of a step's marker; -1 when it has none. */
int64_t steps_number(const struct steps *steps, int32_t step);

#endif
