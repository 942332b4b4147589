/* value -> count, exact up to COUNTS_EXACT distinct values, beyond that log-linear buckets of at
 * most 0.1 % relative error. Merging in any order gives the same table. Values are >= 0
 * (nanoseconds). */
#ifndef SUMMARY_COUNTS_H
#define SUMMARY_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_EXACT (64u << 10)

struct count {
	int64_t value;
	uint64_t n; /* 0: free slot */
};

struct counts {
	struct count *slots; /* open addressing */
	uint32_t room;
	uint32_t used;
	bool rounded; /* some values were put into buckets */
};

/* 0 or -ENOMEM */
int counts_add(struct counts *counts, int64_t value, uint64_t n);
int counts_merge(struct counts *into, const struct counts *from);
void counts_free(struct counts *counts);

/* The table in increasing order of value, in new memory (*out, counts->used entries). 0 or -ENOMEM.
 */
int counts_sorted(const struct counts *counts, struct count **out);
uint64_t counts_total(const struct counts *counts);
/* Nearest-rank percentile (0 < p <= 100): value number ceil(p n / 100) of the n sorted values; 0
 * when empty. */
int64_t counts_percentile(const struct counts *counts, unsigned p);
int64_t counts_min(const struct counts *counts);
int64_t counts_max(const struct counts *counts);
/* Half the length of the shortest interval that holds at least half of the values, rounded down:
 * a spread that neither rare stalls nor two kinds of steps move. 0 when empty. */
int64_t counts_spread(const struct counts *counts);

#endif
