/* What merging may not change: the sum of a field over two summaries is its sum over the merged
 * one. For HOLDS() (base/holds.h). */
#ifndef SUMMARY_MERGE_SUMS_H
#define SUMMARY_MERGE_SUMS_H

#include "summary/summary.h"

struct merge_sums {
	struct merge_sum {
		__int128 sum;
		bool bounded; /* a row of it has reached the largest number, and adds up no longer */
	} * at;
	size_t n;
	size_t most_rows[ROW_KINDS]; /* of the larger summary */
};

/* Adds all fields that are sums; out of memory there are none. */
void merge_sums_add(struct merge_sums *sums, const struct summary *summary);
void merge_sums_free(struct merge_sums *sums);
/* Does `merged` have the sums of its parts, and no row less than the larger one? */
bool merge_sums_same(const struct merge_sums *parts, const struct summary *merged);

#endif
