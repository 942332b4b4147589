/* Think time: how long the threads of a device's process need from one GPU-driving call to the next
 * one, in each step (docs/ATTRIBUTION.md section 7, "A slower host"). The rows of a thread come in
 * order of begin. Stored as two series (summary/series.h), the medians and the numbers of calls. */
#ifndef ATTRIBUTE_THINK_H
#define ATTRIBUTE_THINK_H

#include "steps/markers.h"
#include "summary/summary.h"

struct think {
	const struct steps *steps; /* not owned */
	int64_t *ends;             /* by thread: when its GPU-driving calls so far were over */
	int64_t width;             /* steps of a cell */
	size_t n_cells;
	int64_t *median_ns, *calls; /* by cell: of its steps together */
	int32_t step;               /* of the call before, and until when others belong to it */
	size_t cell;                /* of that step */
	int64_t from, to;
	uint32_t *gaps; /* of that step so far, in ns */
	size_t n_gaps, room;
};

/* Of one process of the device, with so many threads; at most `most` cells. Without steps nothing
 * is kept. 0 or -ENOMEM; think_close() either way. */
int think_open(struct think *think, const struct steps *steps, uint32_t n_threads, size_t most);
void think_close(struct think *think);

/* A GPU-driving call of a thread. 0 or -ENOMEM. */
int think_add(struct think *think, uint32_t thread, int64_t begin, int64_t end);
/* Call once, after the last call: adds both series to the summary. 0 or -ENOMEM. */
int think_store(struct think *think, struct summary *summary, int32_t rank, const char *device);

#endif
