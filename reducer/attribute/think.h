/* Think time: how long the threads of a device's process need from one GPU-driving call to the next
 * one, in each step (docs/ATTRIBUTION.md section 7, "A slower host"). The rows of a thread come in
 * order of begin. Stored as two series (summary/series.h), the medians and the numbers of calls. */
#ifndef ATTRIBUTE_THINK_H
#define ATTRIBUTE_THINK_H

#include "steps/markers.h"
#include "summary/summary.h"

#include <errno.h>

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

enum {
	THINK_NS = 1000000
}; /* a longer time is no thinking: the thread waited, or did other work */

/* The parts of think_add(): a call begins in another step; there is no room for another gap. */
void think_turn(struct think *think, int64_t begin);
int think_room(struct think *think);

/* A GPU-driving call of a thread. 0 or -ENOMEM. */
static inline int think_add(struct think *think, uint32_t thread, int64_t begin, int64_t end)
{
	const int64_t before = think->ends[thread]; /* INT64_MIN: none */
	const uint64_t gap_ns = (uint64_t)begin - (uint64_t)before;
	if (begin < think->from || begin >= think->to)
		think_turn(think, begin);
	if (end > before)
		think->ends[thread] = end;
	if (think->step < 0)
		return 0;
	think->calls[think->cell]++;
	if (gap_ns - 1 >= THINK_NS - 1) /* negative ones and 0 wrap around */
		return 0;
	if (think->n_gaps == think->room && think_room(think) != 0)
		return -ENOMEM;
	think->gaps[think->n_gaps++] = (uint32_t)gap_ns;
	return 0;
}
/* Call once, after the last call: adds both series to the summary. 0 or -ENOMEM. */
int think_store(struct think *think, struct summary *summary, int32_t rank, const char *device);

#endif
