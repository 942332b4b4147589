/* Which steps of a run a page shows event by event: the one of middle length, the longest, and the
 * worst one of each finding. */
#ifndef PAGE_STEP_PICK_H
#define PAGE_STEP_PICK_H

#include "conclude/findings.h"
#include "export/job.h"

enum { STEP_PICKS = 10 };

struct step_subject { /* what is known of the run already */
	const struct summary *summary;
	const struct findings *findings;
};

struct step_pick {
	int32_t step;      /* 0-based; -1: not known yet, only its number */
	int64_t number;    /* with step -1: of its marker, else its place */
	const char *why;   /* "median", "slowest"; of a single step "only"; "finding" */
	uint64_t findings; /* bits: of which findings it is the worst step; of the first 64 */
};

/* Lengths are means of the devices. Where the summary keeps only means of neighbouring steps, the
 * run is read once more for the lengths of all. *n: how many picks; 0: the run has no steps, or
 * cannot be read. 0 or -ENOMEM. */
int step_pick(const struct step_subject *subject, const struct export_job *job,
			  struct step_pick picks[STEP_PICKS], size_t *n);
/* The step in which a device lost most by a finding, of all devices or of the one that it is about;
 * *device: which one, of summary->devices. False: it is not known. */
bool step_pick_worst(const struct summary *summary, const struct finding *finding, int64_t *number,
					 size_t *device);

#endif
