/* Stretches of time that are added up: series go on where those before end, distributions and tables
 * stay within their bounds, and what a device has only in some stretches stands at its steps. */
#include "check.h"
#include "summary/series.h"
#include "summary/stretches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3, MANY = 6000 };

static int64_t next_ns;

/* A stretch of STEPS steps of 10, of which only some wait. */
static void make(struct summary *s, bool waits)
{
	int64_t steps[STEPS] = {10, 10, 10}, wait[STEPS] = {0, 4, 0};
	CHECK(summary_init(s) == 0, "memory");
	struct device_summary *d = summary_device(s, "node0/0");
	d->steps = STEPS;
	d->window_ns = d->hull_ns = STEPS * 10;
	d->time_ns[LEAF_WORK_MATMUL] = STEPS * 10 - (waits ? 4 : 0);
	d->time_ns[LEAF_NCCL_WAIT] = waits ? 4 : 0;
	CHECK(counts_add(&d->step_ns, 10, STEPS) == 0, "memory");
	CHECK(summary_series(s, "node0/0", SERIES_STEP,
						 &(struct series){.rank = -1, .steps = STEPS, .width = 1, .ns = steps}) ==
			  0,
		  "memory");
	if (waits) {
		CHECK(summary_series(
				  s, "node0/0", leaf_name(LEAF_NCCL_WAIT),
				  &(struct series){.rank = -1, .steps = STEPS, .width = 1, .ns = wait}) == 0,
			  "memory");
		CHECK(summary_spread(s, "node0/0",
							 &(struct spread){.leaf = LEAF_NCCL_WAIT,
											  .octave = 2,
											  .steps = 1,
											  .ns = 4,
											  .worst_ns = 4,
											  .worst_step = 1}) == 0,
			  "memory");
	}
	s->quality.stretches = 1;
	s->quality.stretches_from_ns = next_ns;
	s->quality.stretches_to_ns = next_ns += 100;
	summary_sort(s);
}

static const struct series *series_of(const struct summary *s, const char *what)
{
	for (size_t i = 0; i < s->n_series; i++)
		if (strcmp(summary_text(s, s->series[i].what), what) == 0)
			return &s->series[i];
	return NULL;
}

static void add(struct summary *sum, bool waits)
{
	struct summary next;
	make(&next, waits);
	CHECK(stretches_add(sum, &next) == 0, "added");
	summary_free(&next);
}

/* Keeps out: a wait that moves to the steps of an earlier stretch. */
static void test_places(void)
{
	struct summary sum;
	CHECK(summary_init(&sum) == 0, "memory");
	add(&sum, false);
	add(&sum, true);
	add(&sum, false);
	const struct series *steps = series_of(&sum, SERIES_STEP);
	const struct series *wait = series_of(&sum, leaf_name(LEAF_NCCL_WAIT));
	CHECK(sum.devices[0].steps == 3 * STEPS && sum.devices[0].window_ns == 3 * STEPS * 10, "steps");
	CHECK(steps && steps->steps == 3 * STEPS && steps->width == 1 && steps->ns[8] == 10, "lengths");
	CHECK(wait && wait->steps == 3 * STEPS && wait->ns[4] == 4 && wait->ns[1] == 0, "waits");
	CHECK(sum.spreads[0].worst_step == 4, "the worst step is %lld",
		  (long long)sum.spreads[0].worst_step);
	CHECK(summary_device_adds_up(&sum.devices[0]), "leaves");
	CHECK(sum.quality.stretches == 3 && sum.quality.stretches_missing_ns == 0, "neighbours");
	next_ns += 50;
	add(&sum, true);
	CHECK(sum.quality.stretches_missing_ns == 50, "a hole");
	summary_free(&sum);
}

/* Keeps out: a summary that grows with the time, or loses what it has no row for. */
static void test_bounds(void)
{
	struct summary sum;
	int64_t waited = 0;
	CHECK(summary_init(&sum) == 0, "memory");
	for (int k = 0; k < MANY; k++)
		add(&sum, true);
	const struct series *wait = series_of(&sum, leaf_name(LEAF_NCCL_WAIT));
	CHECK(wait && wait->steps == MANY * STEPS && series_ok(wait), "cells of a long series");
	for (size_t i = 0; wait && i < series_cells(wait->steps, wait->width); i++)
		waited += wait->ns[i];
	CHECK(waited == MANY * 4, "%lld waited", (long long)waited);
	summary_free(&sum);
}

/* One stretch with many names: the dearest stay, the others stand together. */
static void test_names(void)
{
	struct summary sum, next;
	char name[32];
	int64_t total = 0, count = 0, bytes_ns = 0, site_ns = 0, rows = 0;
	CHECK(summary_init(&sum) == 0, "memory");
	make(&next, false);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "kernel%d", i);
		struct kernel_summary *kernel = summary_kernel(&next, name, "custom.attention");
		kernel->count = 1;
		kernel->total_ns = i;
		CHECK(counts_add(&kernel->dur_ns, i, 1) == 0, "memory");
		struct nccl_summary *nccl =
			summary_nccl(&next, &(struct nccl_summary){.members = 2, .bytes = i});
		nccl->count = 1;
		nccl->transfer_ns = i;
		struct site_summary key = {.by = SITE_LINE, .kind = SITE_PROJECT};
		CHECK(summary_string(&next, name, &key.what) == 0, "memory");
		summary_site(&next, &key)->sums.cpu_ns = i;
		CHECK(counts_add(&next.devices[0].step_ns, INT64_C(1000000) + i, 1) == 0, "memory");
	}
	CHECK(stretches_add(&sum, &next) == 0, "added");
	CHECK(sum.n_kernels == STRETCHES_KERNELS + 1, "%zu kernels", sum.n_kernels);
	for (size_t i = 0; i < sum.n_kernels; i++) {
		total += sum.kernels[i].total_ns;
		count += (int64_t)counts_total(&sum.kernels[i].dur_ns);
	}
	CHECK(total == (int64_t)MANY * (MANY - 1) / 2 && count == MANY, "kernels in all");
	for (size_t i = 0; i < sum.n_nccl; i++)
		bytes_ns += sum.nccl[i].transfer_ns;
	CHECK(sum.n_nccl == STRETCHES_NCCL + 1 && bytes_ns == total, "%zu collectives", sum.n_nccl);
	for (size_t i = 0; i < sum.n_sites; i++) {
		site_ns += sum.sites[i].sums.cpu_ns;
		rows += sum.sites[i].kind == SITE_REST ? (int64_t)sum.sites[i].rows : 1;
	}
	CHECK(sum.n_sites == STRETCHES_SITES + 1 && site_ns == total && rows == MANY, "%zu sites",
		  sum.n_sites);
	CHECK(sum.devices[0].step_ns.rounded && sum.devices[0].step_ns.used < STRETCHES_EXACT,
		  "%u different lengths", sum.devices[0].step_ns.used);
	summary_free(&next);
	summary_free(&sum);
}

/* Of many devices each has fewer cells. Keeps out: a file that is large as many devices are. */
static void test_devices(void)
{
	enum { DEVICES = 128, BEFORE = 4000 };
	int64_t steps[STEPS] = {10, 10, 10};
	struct summary sum;
	char key[32];
	CHECK(summary_init(&sum) == 0, "memory");
	for (int round = 0; round < 2; round++) {
		struct summary next;
		CHECK(summary_init(&next) == 0, "memory");
		for (int i = 0; i < DEVICES; i++) {
			snprintf(key, sizeof(key), "node%d/0", i);
			summary_device(&next, key)->steps = STEPS;
			CHECK(summary_series(
					  &next, key, SERIES_STEP,
					  &(struct series){.rank = -1, .steps = STEPS, .width = 1, .ns = steps}) == 0,
				  "memory");
		}
		CHECK(stretches_add(&sum, &next) == 0, "added");
		summary_free(&next);
		for (size_t i = 0; round == 0 && i < sum.n_devices; i++)
			sum.devices[i].steps = BEFORE;
	}
	for (size_t i = 0; i < sum.n_series; i++)
		CHECK(sum.series[i].steps == BEFORE + STEPS &&
				  series_cells(sum.series[i].steps, sum.series[i].width) <= series_most(DEVICES),
			  "series %zu has too many cells", i);
	CHECK(series_most(DEVICES) < SERIES_CELLS && sum.n_series == DEVICES, "series");
	summary_free(&sum);
}

/* Of a file that is hostile. Keeps out: a number of steps that wraps, and a file that cannot be read
 * again. */
static void test_too_many(void)
{
	struct summary sum, next;
	CHECK(summary_init(&sum) == 0, "memory");
	add(&sum, true);
	sum.devices[0].steps = BATON_S_STEPS_MOST - STEPS + 1;
	make(&next, true);
	CHECK(stretches_add(&sum, &next) == -EOVERFLOW, "too many steps");
	summary_free(&next);
	summary_free(&sum);
}

int main(void)
{
	test_places();
	test_devices();
	test_too_many();
	test_bounds();
	test_names();
	return finish();
}
