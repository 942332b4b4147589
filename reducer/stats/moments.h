/* The figures of many values of one name (durations in ns, sizes in bytes), as the tables of nsys
 * stats have them. Minimum, maximum, total and average are exact. The median is exact up to
 * COUNTS_EXACT distinct values and off by at most 0.1 % beyond that, so that memory does not grow
 * with the run. */
#ifndef STATS_MOMENTS_H
#define STATS_MOMENTS_H

#include "summary/counts.h"

struct moments { /* zeroed: empty */
	struct counts counts;
	uint64_t n;
	int64_t total, min, max;
	long double mean, squares; /* Welford's, 1962 */
};

struct figures {
	double average, median, deviation; /* of a sample (n - 1); 0 of one value */
};

/* Adds a value >= 0. A total that does not fit stays at INT64_MAX. 0 or -ENOMEM. */
int moments_add(struct moments *moments, int64_t value);
void moments_free(struct moments *moments);
/* 0 or -ENOMEM. */
int moments_figures(const struct moments *moments, struct figures *out);

#endif
