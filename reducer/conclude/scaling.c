#include "conclude/scaling.h"

#include "classify/classify.h"

#include <math.h>

#define SAME_WORK 0.10

int64_t scaling_busy(const struct summary *summary)
{
	__int128 sum = 0;
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		if (d->steps > 0)
			sum += ((__int128)d->busy_ns[GROUP_MATMUL] + d->busy_ns[GROUP_CUSTOM]) / d->steps;
	}
	return summary->n_devices ? (int64_t)(sum / (int64_t)summary->n_devices) : 0;
}

static size_t find_base(const struct scaling_run *runs, size_t n)
{
	size_t base = 0;
	for (size_t i = 1; i < n; i++)
		if (runs[i].figures->devices < runs[base].figures->devices)
			base = i;
	return base;
}

static double relative(double value, double expected)
{
	if (expected > 0)
		return fabs(value - expected) / expected;
	return value > 0 ? INFINITY : 0;
}

/* Work per GPU against the base: the same (weak), its m/n-th part (strong), or neither. */
static enum scaling fit(const struct scaling_run *run, const struct scaling_run *base)
{
	double m_n = (double)base->figures->devices / (double)run->figures->devices;
	double kernels = relative((double)run->figures->kernels, (double)base->figures->kernels);
	if (relative((double)run->busy_ns, (double)base->busy_ns) <= SAME_WORK && kernels <= SAME_WORK)
		return SCALING_WEAK;
	if (relative((double)run->busy_ns, (double)base->busy_ns * m_n) <= SAME_WORK)
		return SCALING_STRONG;
	return SCALING_AUTO;
}

static void bridge(struct scaling_run *run, const struct scaling_run *base)
{
	const struct figures *n = run->figures, *m = base->figures;
	__int128 terms[LEAF_COUNT];
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		terms[leaf] =
			(__int128)n->time_ns[leaf] * m->step_ns - (__int128)run->ideal_ns * m->time_ns[leaf];
	if (m->step_ns > 0)
		figures_share_out(terms, LEAF_COUNT, m->step_ns, run->terms_ns);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += run->terms_ns[leaf];
	run->residual_ns = run->loss_ns - sum;
}

/* What the runs look like together: strong when all that are larger than the base do, else weak. */
static void choose_scaling(const struct scaling_run *runs, size_t n, struct scaling_result *result)
{
	const uint32_t base_devices = runs[result->base].figures->devices;
	bool all_strong = true, all_fit = true, larger = false;
	for (size_t i = 0; i < n; i++) {
		if (runs[i].aside || runs[i].figures->devices == base_devices)
			continue; /* one as large as the base fits both */
		larger = true;
		all_strong &= runs[i].fits == SCALING_STRONG;
		all_fit &= runs[i].fits != SCALING_AUTO;
	}
	result->scaling = larger && all_strong ? SCALING_STRONG : SCALING_WEAK;
	result->sure = !larger || (all_fit && (all_strong || result->scaling == SCALING_WEAK));
}

/* A run against the base. Returns how far its work per GPU is from what the scaling expects. */
static double compare(struct scaling_run *run, const struct scaling_run *base, bool strong)
{
	const int64_t m = base->figures->devices, g = run->figures->devices;
	const int64_t t = base->figures->step_ns;
	const double step = (double)run->figures->step_ns;
	const double of_base = strong ? (double)m / (double)g : 1; /* of the base's work on each GPU */
	run->ideal_ns = strong ? (int64_t)((2 * (__int128)t * m + g) / (2 * g)) : t;
	run->loss_ns = run->figures->step_ns - run->ideal_ns;
	run->efficiency = NAN;
	run->speed_up = NAN;
	if (step > 0) {
		run->efficiency = (double)run->ideal_ns / step;
		run->speed_up = (double)t / step;
		if (!strong)
			run->speed_up *= (double)g / (double)m;
	}
	bridge(run, base);
	return relative((double)run->busy_ns, (double)base->busy_ns * of_base);
}

void scaling_compute(struct scaling_run *runs, size_t n, struct scaling_wanted wanted,
					 struct scaling_result *result)
{
	*result = (struct scaling_result){.base = wanted.first_is_base ? 0 : find_base(runs, n),
									  .scaling = wanted.scaling,
									  .sure = true};
	const struct scaling_run *base = &runs[result->base];
	for (size_t i = 0; i < n; i++)
		runs[i].fits = fit(&runs[i], base);
	if (wanted.scaling == SCALING_AUTO)
		choose_scaling(runs, n, result);
	for (size_t i = 0; i < n; i++) {
		double difference = compare(&runs[i], base, result->scaling == SCALING_STRONG);
		if (!runs[i].aside && difference > result->work_difference)
			result->work_difference = difference;
	}
}
