/* What a run copies between its GPUs' memory and elsewhere. */
#ifndef CONCLUDE_COPIES_H
#define CONCLUDE_COPIES_H

#include "summary/summary.h"

enum { COPIES_WAYS = 2 * BATON_S_COPY_DIRECTIONS };

struct copies_way { /* a direction, pageable or not */
	const char *words;
	int64_t total_ns; /* plain durations */
	int64_t bytes;
	int64_t sized_ns; /* of the copies whose bytes are known */
};

/* Of one device or (device 0) of all, those with most time first. Returns how many there are. */
size_t copies_by_way(const struct summary *summary, uint32_t device,
					 struct copies_way ways[COPIES_WAYS]);

/* "HtoD" */
const char *copies_direction(uint32_t direction);

#endif
