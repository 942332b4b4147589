/* Copies between two devices that are slower than those between others, or take longer
 * (docs/ATTRIBUTION.md section 7, "Uneven pairs of devices"). Pure: a summary in, rows out. */
#ifndef CONCLUDE_UNEVEN_PAIRS_H
#define CONCLUDE_UNEVEN_PAIRS_H

#include "conclude/figures.h"

struct uneven_pair {
	const char *from, *to;    /* keys of devices */
	size_t device;            /* of summary->devices: where most of the pair's copies ran */
	size_t pairs;             /* that it is compared with, itself too */
	int64_t ns, bytes;        /* of its copies, per step; bytes 0: not known */
	double gbps, others_gbps; /* 0: it is not slower, there are more copies */
	int64_t more_ns; /* than the same bytes would take at the others' speed, or than the mean */
};

enum { UNEVEN_PAIRS_MOST = 2 };

/* The slowest pair, and the one whose copies take longest. *n: how many there are. 0 or -ENOMEM. */
int uneven_pairs_find(const struct summary *summary, struct uneven_pair at[UNEVEN_PAIRS_MOST],
					  size_t *n);

#endif
