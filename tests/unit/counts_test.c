/* Tables of counts: nearest-rank percentiles, the error of rounding, and that neither the content
 * nor whether it is rounded depends on the order of merging. */
#include "check.h"
#include "summary/counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* The definition, on a sorted list. */
static int64_t nearest_rank(const int64_t *sorted, size_t n, unsigned p)
{
	return sorted[(n * p + 99) / 100 - 1];
}

static void against_list(int64_t *values, size_t n)
{
	struct counts counts = {0};
	for (size_t i = 0; i < n; i++)
		CHECK(counts_add(&counts, values[i], 1) == 0, "not added");
	qsort(values, n, sizeof(*values), by_value);
	for (unsigned p = 1; p <= 100; p++) {
		int64_t expected = nearest_rank(values, n, p), got = counts_percentile(&counts, p);
		CHECK(got == expected, "percentile %u of %zu values: %" PRId64 ", not %" PRId64, p, n, got,
			  expected);
	}
	CHECK(counts_min(&counts) == values[0] && counts_max(&counts) == values[n - 1] &&
			  counts_total(&counts) == n,
		  "least, largest or number of %zu values", n);
	int64_t spread = INT64_MAX;
	for (size_t i = 0; i + (n + 1) / 2 <= n; i++) {
		int64_t half = (values[i + (n + 1) / 2 - 1] - values[i]) / 2;
		spread = half < spread ? half : spread;
	}
	CHECK(counts_spread(&counts) == spread, "spread of %zu values", n);
	counts_free(&counts);
}

static void percentiles(void)
{
	static int64_t values[700];
	for (size_t n = 1; n <= 700; n += n < 210 ? 1 : 61) {
		uint64_t range = n % 3 == 0 ? 5 : n % 3 == 1 ? 1000 : UINT64_C(1) << 62;
		for (size_t i = 0; i < n; i++)
			values[i] = (int64_t)(next() % range);
		against_list(values, n);
	}
}

static void corners(void)
{
	struct counts counts = {0};
	CHECK(counts_percentile(&counts, 50) == 0 && counts_min(&counts) == 0 &&
			  counts_max(&counts) == 0 && counts_spread(&counts) == 0 && counts_total(&counts) == 0,
		  "an empty table");
	counts_add(&counts, 5, 0);
	CHECK(counts.used == 0, "a value that never occurred was added");
	counts_add(&counts, 7, UINT64_C(1) << 60); /* n * p does not fit into 64 bits */
	counts_add(&counts, 9, UINT64_C(1) << 58);
	CHECK(counts_percentile(&counts, 80) == 7 && counts_percentile(&counts, 81) == 9,
		  "percentiles of very many values");
	counts_free(&counts);
	counts_add(&counts, 3, UINT64_MAX);
	counts_add(&counts, 3, 1);
	counts_add(&counts, 3, 5);
	CHECK(counts.used == 1 && counts_total(&counts) == UINT64_MAX, "a count that wrapped around");
	counts_free(&counts);
}

/* ---- rounding ---- */

static void limit(void)
{
	struct counts counts = {0};
	for (int64_t i = 0; i < COUNTS_EXACT; i++)
		counts_add(&counts, 1000003 * i, 1);
	counts_add(&counts, 1000003, 4);
	CHECK(!counts.rounded && counts.used == COUNTS_EXACT, "rounded below its limit");
	counts_add(&counts, 1, 1);
	CHECK(counts.rounded && counts.used <= COUNTS_EXACT, "not rounded beyond its limit");
	CHECK(counts_total(&counts) == COUNTS_EXACT + 5, "rounding lost values");
	counts_free(&counts);
}

/* Any magnitude up to 2^62. */
static int64_t any_magnitude(void)
{
	return (int64_t)(next() >> (2 + next() % 62));
}

static void error_of_rounding(void)
{
	enum { N = 300000 };
	int64_t *values = malloc(N * sizeof(*values));
	struct counts counts = {0};
	for (size_t i = 0; i < N; i++) {
		values[i] = any_magnitude();
		counts_add(&counts, values[i], 1);
	}
	CHECK(counts.rounded && counts.used <= COUNTS_EXACT, "%u values in a rounded table",
		  counts.used);
	qsort(values, N, sizeof(*values), by_value);
	for (unsigned p = 1; p <= 100; p++) {
		int64_t exact = nearest_rank(values, N, p), got = counts_percentile(&counts, p);
		CHECK(got <= exact && exact - got <= exact / 1000,
			  "percentile %u: %" PRId64 " for %" PRId64, p, got, exact);
	}
	counts_free(&counts);
	free(values);
}

/* One value at a time, those at the edges of buckets too. */
static void error_of_one(void)
{
	for (int i = 0; i < 20000; i++) {
		int64_t value = i % 2 ? any_magnitude() : (INT64_C(1) << (i / 2 % 63)) - 2 + (i / 126 % 4);
		value = value < 0 ? 0 : value;
		struct counts counts = {.rounded = true}, again = {.rounded = true};
		counts_add(&counts, value, 1);
		int64_t got = counts_max(&counts);
		CHECK(got <= value && value - got <= value / 1000, "%" PRId64 " became %" PRId64, value,
			  got);
		CHECK(value >= 2048 || got == value, "%" PRId64 " was rounded", value);
		counts_merge(&again, &counts);
		CHECK(counts_max(&again) == got, "rounding twice moves a value");
		counts_free(&counts);
		counts_free(&again);
	}
}

/* ---- merging ---- */

enum { PARTS = 7 };

static bool equal(const struct counts *a, const struct counts *b)
{
	struct count *x, *y;
	if (counts_sorted(a, &x) != 0 || counts_sorted(b, &y) != 0)
		return false;
	bool same =
		a->used == b->used && a->rounded == b->rounded && memcmp(x, y, a->used * sizeof(*x)) == 0;
	free(x);
	free(y);
	return same;
}

/* Merges copies of all parts, two random ones at a time, into *out. */
static void merge_somehow(const struct counts *parts, struct counts *out)
{
	struct counts left[PARTS] = {0};
	for (int i = 0; i < PARTS; i++)
		counts_merge(&left[i], &parts[i]);
	for (uint64_t n = PARTS; n > 1; n--) {
		uint64_t into = next() % n, from = next() % (n - 1);
		from += from >= into;
		CHECK(counts_merge(&left[into], &left[from]) == 0, "not merged");
		counts_free(&left[from]);
		left[from] = left[n - 1]; /* into may be the last: then it moved */
	}
	*out = left[0];
}

/* Values start, start + step, ... , `n` of them in every part, of which `shared` are also in the
 * part before. */
static void any_order(const char *name, uint32_t n, uint32_t shared, int64_t step, bool rounded)
{
	struct counts parts[PARTS] = {0}, all = {0};
	for (uint32_t part = 0; part < PARTS; part++) {
		uint32_t mine = part == 3 ? 0 : n; /* one of them is empty */
		for (uint32_t i = 0; i < mine; i++) {
			int64_t value = 5000 + step * ((int64_t)part * (n - shared) + i);
			counts_add(&parts[part], value, 1 + i % 3);
			counts_add(&all, value, 1 + i % 3);
		}
	}
	CHECK(all.rounded == rounded, "%s: %u values are%s rounded", name, all.used,
		  all.rounded ? "" : " not");
	for (int round = 0; round < 12; round++) {
		struct counts merged;
		merge_somehow(parts, &merged);
		CHECK(equal(&merged, &all), "%s: merged in another order it is another table", name);
		counts_free(&merged);
	}
	for (int i = 0; i < PARTS; i++)
		counts_free(&parts[i]);
	counts_free(&all);
}

/* One large part and several small ones: `total` distinct values in all. */
static void around_limit(uint32_t total)
{
	struct counts parts[PARTS] = {0}, all = {0};
	for (uint32_t i = 0; i < total; i++) {
		uint32_t part = i % 16 ? 0 : 1 + i / 16 % (PARTS - 1);
		int64_t value = any_magnitude() | (INT64_C(1) << 40);
		value = (value & ~INT64_C(0x1FFFF)) | i; /* all differ */
		counts_add(&parts[part], value, 1);
		counts_add(&parts[(part + 1) % PARTS], value, 2);
		counts_add(&all, value, 3);
	}
	CHECK(all.rounded == (total > COUNTS_EXACT), "%u values: rounded %d", total, all.rounded);
	for (int round = 0; round < 12; round++) {
		struct counts merged;
		merge_somehow(parts, &merged);
		CHECK(equal(&merged, &all), "%u values: the order of merging shows", total);
		counts_free(&merged);
	}
	for (int i = 0; i < PARTS; i++)
		counts_free(&parts[i]);
	counts_free(&all);
}

/* A rounded table with few buckets meets an exact one with many values, which does not grow. */
static void rounded_into_exact(void)
{
	struct counts narrow = {0}, exact = {0}, a = {0}, b = {0};
	for (int64_t i = 0; i < COUNTS_EXACT + 1; i++)
		counts_add(&narrow, (INT64_C(1) << 40) + i, 1);
	for (int64_t i = 0; i < 50000; i++)
		counts_add(&exact, (INT64_C(1) << 41) + i, 1);
	CHECK(narrow.rounded && narrow.used == 1 && !exact.rounded, "not the tables this test needs");
	counts_merge(&a, &narrow);
	counts_merge(&a, &exact);
	counts_merge(&b, &exact);
	counts_merge(&b, &narrow);
	CHECK(a.used == 2 && equal(&a, &b), "rounded into exact: %u values, exact into rounded: %u",
		  b.used, a.used);
	counts_free(&narrow);
	counts_free(&exact);
	counts_free(&a);
	counts_free(&b);
}

int main(void)
{
	percentiles();
	corners();
	limit();
	error_of_rounding();
	error_of_one();
	any_order("few", 100, 50, 1, false);
	any_order("many", 10000, 1000, 32, false);
	any_order("rounded by merging", 12000, 100, 1001, true);
	any_order("every part rounded", 70000, 35000, 977, true);
	rounded_into_exact();
	around_limit(COUNTS_EXACT - 1);
	around_limit(COUNTS_EXACT);
	around_limit(COUNTS_EXACT + 1);
	around_limit(3 * COUNTS_EXACT / 2);
	return finish();
}
