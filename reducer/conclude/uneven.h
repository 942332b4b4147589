/* Work and copies that take longer on one device than on the mean of all: by group of kernels, by
 * direction of copies, and between two devices (docs/ATTRIBUTION.md section 7, "Uneven devices").
 * Pure: a summary in, rows out. */
#ifndef CONCLUDE_UNEVEN_H
#define CONCLUDE_UNEVEN_H

#include "conclude/uneven_pairs.h"

enum { UNEVEN_MOST = SUMMARY_GROUPS + BATON_S_COPY_DIRECTIONS + UNEVEN_PAIRS_MOST };

struct uneven {
	const char *what; /* "matmul kernels", "copies from host to GPU" */
	bool copies;      /* of a direction of copies, not of a group of kernels */
	uint64_t leaves;  /* where that time stands when nothing overlaps it */
	size_t device;    /* that with most, of summary->devices */
	int64_t most_ns;  /* plain durations, per step */
	int64_t percent;  /* more than the mean of the devices */
	int64_t leaf_ns;  /* what the device has more than the mean in `leaves`, per step */
	/* its part of that: no more than it takes longer, and what other rows leave */
	int64_t exposed_ns;
	/* pair.pairs > 0: copies between two devices; the last of `device` is where they run */
	struct uneven_pair pair;
};

/* Fills `rows`: pairs, then devices, those with most exposed first. *n: how many there are. 0 or
 * -ENOMEM. */
int uneven_find(const struct summary *summary, struct uneven rows[UNEVEN_MOST], size_t *n);

#endif
