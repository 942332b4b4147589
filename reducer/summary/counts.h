/* A table of value -> count, for values >= 0 (nanoseconds). It is exact for up to COUNTS_EXACT
 * distinct values; beyond that it has log-linear buckets with a relative error of at most 0.1 %.
 * The order of merging does not change the result. */
#ifndef SUMMARY_COUNTS_H
#define SUMMARY_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_EXACT (64u << 10)

enum { COUNTS_BUCKET_BITS = 10 }; /* 2^10 buckets per octave: at most 0.1 % from value to bucket */

struct count {
	int64_t value;
	uint64_t n; /* 0: free slot */
};

struct counts {
	struct count *slots; /* open addressing */
	uint32_t room;
	uint32_t used;
	bool rounded; /* the values are rounded to buckets */
};

/* Two rounds: after one, the values of a rounded table or of a regular series share slots. */
static inline uint32_t counts_hash(int64_t value)
{
	uint64_t h = (uint64_t)value * UINT64_C(0x9E3779B97F4A7C15);
	h = (h ^ h >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	return (uint32_t)(h >> 32);
}

/* The lower edge of the value's log-linear bucket. Applying it twice changes nothing. */
static inline int64_t counts_bucket(int64_t value)
{
	if (value < (INT64_C(1) << (COUNTS_BUCKET_BITS + 1)))
		return value;
	int shift = 63 - __builtin_clzll((unsigned long long)value) - COUNTS_BUCKET_BITS;
	return (int64_t)((uint64_t)value >> shift << shift);
}

/* `value` will be added soon: its slot is fetched from memory meanwhile. */
static inline void counts_expect(const struct counts *counts, int64_t value)
{
	if (counts->rounded)
		value = counts_bucket(value);
	if (counts->room)
		__builtin_prefetch(&counts->slots[counts_hash(value) & (counts->room - 1)], 1);
}

/* Adds `n` to the count of `value`. counts_merge() adds all of `from`. 0 or -ENOMEM. */
int counts_add(struct counts *counts, int64_t value, uint64_t n);

/* Counts `value` once. The value that has the first slot of its hash is nearly always the one. */
static inline int counts_one(struct counts *counts, int64_t value)
{
	if (counts->rounded)
		value = counts_bucket(value);
	if (counts->room) {
		struct count *slot = &counts->slots[counts_hash(value) & (counts->room - 1)];
		if (slot->value == value && slot->n && slot->n < UINT64_MAX) {
			slot->n++;
			return 0;
		}
	}
	return counts_add(counts, value, 1);
}

/* Counts each of the values once. 0 or -ENOMEM. */
int counts_add_each(struct counts *counts, const uint32_t *values, size_t n);
int counts_merge(struct counts *into, const struct counts *from);
/* Rounds the values of a table that has more than `most` different ones. 0 or -ENOMEM. */
int counts_round(struct counts *counts, uint32_t most);
void counts_free(struct counts *counts);

/* *out: the table in increasing order of value, counts->used entries in new memory. 0 or
 * -ENOMEM. */
int counts_sorted(const struct counts *counts, struct count **out);
uint64_t counts_total(const struct counts *counts);
/* Nearest-rank percentile (0 < p <= 100): of the n sorted values the one at position ceil(p n /
 * 100), from 1. 0 when empty. */
int64_t counts_percentile(const struct counts *counts, unsigned p);
int64_t counts_min(const struct counts *counts);
int64_t counts_max(const struct counts *counts);
/* Half the length of the shortest interval that holds at least half of the values, rounded down: a
 * measure of spread that neither rare stalls nor a second kind of step changes much. 0 when
 * empty. */
int64_t counts_spread(const struct counts *counts);

#endif
