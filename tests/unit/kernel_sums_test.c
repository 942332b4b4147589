/* Sums of kernels: durations are counted a few ops later, but in the order of the ops. Where two
 * share a slot, that order decides which comes first, and floating-point sums over the slots with
 * it. */
#include "attribute/kernel_sums.h"
#include "check.h"

#include <string.h>

enum { MOST = 3 * KERNEL_SUMS_LATER };

/* Different durations that all want the first slot of a table with 64 slots, or of a smaller one. */
static void same_slot(int64_t *durs, size_t n)
{
	int64_t value = 1;
	for (size_t i = 0; i < n; value++)
		if ((counts_hash(value) & 63) == 0)
			durs[i++] = value;
}

static void set(struct kernel_sums *sums, int64_t dur)
{
	const struct op op = {.kind = BATON_MEMSET, .start = 1000, .end = 1000 + dur};
	CHECK(kernel_sums_add(sums, &op) == 0, "no memory");
}

/* The row of the summary that n memsets give, against one that is counted at once. */
static void in_order(const int64_t *durs, size_t n)
{
	struct feed no_feed;
	const struct device_feeds none = {.feeds = &no_feed};
	struct kernel_sums sums;
	struct summary s;
	struct counts at_once = {0}, row = {0};
	CHECK(kernel_sums_open(&sums, &none) == 0 && summary_init(&s) == 0, "no memory");
	for (size_t i = 0; i < n; i++) {
		set(&sums, durs[i]);
		CHECK(counts_add(&at_once, durs[i], 1) == 0, "no memory");
	}
	CHECK(kernel_sums_store(&sums, &s) == 0 && counts_merge(&row, &at_once) == 0, "no memory");
	CHECK(s.n_kernels == 1 && s.kernels[0].count == n && s.kernels[0].dur_ns.room == row.room &&
			  memcmp(s.kernels[0].dur_ns.slots, row.slots, row.room * sizeof(*row.slots)) == 0,
		  "the slots of %zu durations", n);
	counts_free(&at_once);
	counts_free(&row);
	kernel_sums_close(&sums);
	summary_free(&s);
}

int main(void)
{
	int64_t durs[MOST];
	same_slot(durs, MOST);
	for (size_t n = 1; n <= MOST; n++)
		in_order(durs, n);
	return finish();
}
