/* Which steps of a run a page shows event by event: the one of middle length and the longest. */
#ifndef PAGE_STEP_PICK_H
#define PAGE_STEP_PICK_H

#include "export/job.h"

enum { STEP_PICKS = 2 };

struct step_pick {
	int32_t step;    /* 0-based */
	const char *why; /* "median", "slowest"; of a single step "only" */
};

/* Lengths are means of the devices. Where the summary keeps only means of neighbouring steps, the
 * run is read once more for the lengths of all. *n: how many picks; 0: the run has no steps, or
 * cannot be read. 0 or -ENOMEM. */
int step_pick(const struct summary *summary, const struct export_job *job,
			  struct step_pick picks[STEP_PICKS], size_t *n);

#endif
