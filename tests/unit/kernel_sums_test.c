/* Sums of kernels: the durations of a kernel are a list, and a table once it has run often. */
#include "attribute/kernel_sums.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static void set(struct kernel_sums *sums, int64_t dur)
{
	const struct op op = {.kind = BATON_MEMSET, .start = 1000, .end = 1000 + dur};
	CHECK(kernel_sums_add(sums, &op) == 0, "no memory");
}

static void check_same(const struct counts *a, const struct counts *b, const char *what)
{
	struct count *x, *y;
	CHECK(counts_sorted(a, &x) == 0 && counts_sorted(b, &y) == 0, "no memory");
	CHECK(a->used == b->used && a->rounded == b->rounded && memcmp(x, y, a->used * sizeof(*x)) == 0,
		  "the durations %s", what);
	free(x);
	free(y);
}

struct kinds {
	size_t n;         /* memsets */
	int64_t distinct; /* so many different durations */
	size_t each_long; /* one in so many takes more than 32 bits; 0: none */
	const char *what;
};

static int64_t duration(const struct kinds *k, size_t i)
{
	const int64_t dur = (int64_t)(i * 7919 % (uint64_t)k->distinct);
	return k->each_long && i % k->each_long == 0 ? dur + (INT64_C(1) << 32) : dur;
}

/* Keeps out: a duration that is lost or counted twice where the list becomes a table, that is cut to
 * 32 bits, and a table that is rounded without need or unseen. */
static void sums_of(const struct kinds *k)
{
	struct feed no_feed;
	const struct device_feeds none = {.feeds = &no_feed};
	struct kernel_sums sums;
	struct summary s;
	struct counts at_once = {0};
	CHECK(kernel_sums_open(&sums, &none) == 0 && summary_init(&s) == 0, "no memory");
	for (size_t i = 0; i < k->n; i++) {
		set(&sums, duration(k, i));
		CHECK(counts_add(&at_once, duration(k, i), 1) == 0, "no memory");
	}
	CHECK(kernel_sums_store(&sums, &s) == 0, "no memory");
	CHECK(s.n_kernels == 1 && s.kernels[0].count == k->n, "%zu kernels %s", k->n, k->what);
	CHECK(s.quality.rounded_quantiles == at_once.rounded, "rounded %s", k->what);
	check_same(&s.kernels[0].dur_ns, &at_once, k->what);
	counts_free(&at_once);
	kernel_sums_close(&sums);
	summary_free(&s);
}

int main(void)
{
	const struct kinds kinds[] = {
		{1, 1, 0, "of one"},
		{DURATIONS_LISTED / 2, 100, 0, "of a list"},
		{DURATIONS_LISTED / 2, 100, 10, "of a list, some long"},
		{DURATIONS_LISTED, 100, 0, "of the longest list"},
		{DURATIONS_LISTED + 1, 100, 0, "of one more"},
		{2 * DURATIONS_LISTED, 100, 0, "of two lists"},
		{2 * DURATIONS_LISTED + 1, 1000, 5, "of more than two, some long"},
		{COUNTS_EXACT + 1000, 5000, 7, "of a table, some long"},
		{COUNTS_EXACT + 1, 2 * COUNTS_EXACT, 0, "of one more, all different"},
		{3 * COUNTS_EXACT, 2 * COUNTS_EXACT, 3, "of many different ones"},
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		sums_of(&kinds[i]);
	return finish();
}
