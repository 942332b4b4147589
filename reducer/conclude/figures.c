#include "conclude/figures.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const step_sources[] = {[STEPS_NONE] = "none",
										   [STEPS_MARKER] = "marker",
										   [STEPS_NVTX] = "nvtx",
										   [STEPS_OPTIMIZER] = "optimizer",
										   [STEPS_PERIODICITY] = "periodicity"};

const char *step_source_name(enum step_source source)
{
	return step_sources[source];
}

enum step_source step_source(const char *name)
{
	for (int source = STEPS_NONE; source <= STEPS_PERIODICITY; source++)
		if (strcmp(name, step_sources[source]) == 0)
			return (enum step_source)source;
	return STEPS_MARKER;
}

bool figures_lack_cpu(const struct summary *summary)
{
	for (size_t i = 0; i < summary->n_devices; i++)
		if (summary->devices[i].launches > 0)
			return false;
	return summary->quality.ops > 0 && summary->quality.unmatched_ops >= summary->quality.ops;
}

static int64_t floor_divide(__int128 a, __int128 b, int64_t *remainder)
{
	__int128 quotient = a / b, rest = a % b;
	if (rest < 0) {
		rest += b;
		quotient--;
	}
	*remainder = (int64_t)rest;
	return (int64_t)quotient;
}

void figures_share_out(const __int128 *terms, size_t n, int64_t divisor, int64_t *out)
{
	int64_t remainders[LEAF_COUNT];
	__int128 sum = 0;
	int64_t given = 0, unused;
	for (size_t i = 0; i < n; i++) {
		sum += terms[i];
		out[i] = floor_divide(terms[i], divisor, &remainders[i]);
		given += out[i];
	}
	int64_t left = floor_divide(2 * sum + divisor, 2 * (__int128)divisor, &unused) - given;
	for (; left > 0; left--) {
		size_t best = 0;
		for (size_t i = 1; i < n; i++)
			if (remainders[i] > remainders[best])
				best = i;
		out[best]++;
		remainders[best] = -1;
	}
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int figures_ms_decimals(int64_t step_ns)
{
	if (step_ns >= 100000000)
		return 1;
	return step_ns >= 10000000 ? 2 : 3;
}

void figures_sort(int64_t *values, size_t n)
{
	sort_rows(values, n, sizeof(*values), by_number);
}

int64_t figures_median(int64_t *values, size_t n)
{
	figures_sort(values, n);
	return n ? values[(n - 1) / 2] : 0;
}

int64_t figures_time(const struct figures *figures, uint64_t leaves)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? figures->time_ns[leaf] : 0;
	return sum;
}

int64_t figures_device_time(const struct device_summary *device, uint64_t leaves)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT && device->steps > 0; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? device->time_ns[leaf] / device->steps : 0;
	return sum;
}

#define SCALE (INT64_C(1) << 20) /* keeps what a division per device would lose */

/* Steps of the run's first devices differ when a trace was cut: every device is weighed by its own
 * number. */
static void mean_leaves(const struct summary *summary, struct figures *f)
{
	__int128 terms[LEAF_COUNT] = {0};
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		for (int leaf = 0; leaf < LEAF_COUNT && d->steps > 0; leaf++)
			terms[leaf] += (__int128)d->time_ns[leaf] * SCALE / d->steps;
	}
	figures_share_out(terms, LEAF_COUNT, SCALE * (int64_t)f->devices, f->time_ns);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		f->step_ns += f->time_ns[leaf];
}

/* Per step and device, rounded to nearest: with more devices than kernels in a step, too. */
static void mean_counts(const struct summary *summary, struct figures *f)
{
	__int128 hidden = 0, kernels = 0, shorts = 0, launches = 0;
	const __int128 all = (__int128)SCALE * f->devices;
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		int64_t n = d->steps > 0 ? d->steps : 1;
		hidden += (__int128)d->nccl_hidden_ns * SCALE / n;
		kernels += (__int128)d->kernels * SCALE / n;
		shorts += (__int128)d->short_kernels * SCALE / n;
		launches += (__int128)d->launches * SCALE / n;
	}
	f->hidden_ns = (int64_t)((hidden + all / 2) / all);
	f->kernels = (int64_t)((kernels + all / 2) / all);
	f->short_kernels = (int64_t)((shorts + all / 2) / all);
	f->launches = (int64_t)((launches + all / 2) / all);
}

/* Of the median device: one that is late now and then does not hide what all have. */
static int64_t step_noise(const struct summary *summary)
{
	int64_t *spreads = malloc(summary->n_devices * sizeof(*spreads));
	if (!spreads)
		return 0;
	for (size_t i = 0; i < summary->n_devices; i++)
		spreads[i] = counts_spread(&summary->devices[i].step_ns);
	int64_t noise = figures_median(spreads, summary->n_devices);
	free(spreads);
	return noise;
}

void figures_compute(const struct summary *summary, struct figures *f)
{
	struct counts all = {0};
	int64_t steps = 0;
	memset(f, 0, sizeof(*f));
	f->devices = (uint32_t)summary->n_devices;
	if (f->devices == 0)
		return;
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		int64_t n = d->steps > 0 ? d->steps : 1;
		f->steps = d->steps > f->steps ? d->steps : f->steps;
		f->carried |= d->carried;
		steps += n;
		counts_merge(&all, &d->step_ns);
	}
	f->step_source = step_source(summary_text(summary, summary->run.step_source));
	f->has_steps = f->step_source != STEPS_NONE;
	f->p50_ns = counts_percentile(&all, 50);
	f->p95_ns = counts_percentile(&all, 95);
	f->max_ns = counts_max(&all);
	f->tool_ns = summary->quality.tool_ns > 0 ? summary->quality.tool_ns / steps : 0;
	counts_free(&all);
	f->noise_ns = step_noise(summary);
	mean_leaves(summary, f);
	mean_counts(summary, f);
}

double figures_busbw_gbps(const struct summary *summary, const struct nccl_summary *row)
{
	static const struct {
		const char *op;
		double times; /* numerator of the factor, in units of (n - 1) / n */
	} factors[] = {{"AllReduce", 2}, {"AllGather", 1}, {"ReduceScatter", 1}, {"AllToAll", 1}};
	const char *op = summary_text(summary, row->op);
	if (row->max_bytes_moved <= 0 || row->members < 2 || row->transfer_ns <= 0 || row->reason)
		return NAN;
	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (strcmp(op, factors[i].op) == 0)
			return (double)row->max_bytes_moved * (double)row->count / (double)row->transfer_ns *
				   factors[i].times * (row->members - 1) / row->members;
	return NAN;
}
