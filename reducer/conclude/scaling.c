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
			sum += (d->busy_ns[GROUP_MATMUL] + d->busy_ns[GROUP_CUSTOM]) / d->steps;
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
	return expected > 0 ? fabs(value - expected) / expected : value > 0 ? INFINITY : 0;
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

void scaling_compute(struct scaling_run *runs, size_t n, enum scaling wanted,
					 struct scaling_result *result)
{
	*result = (struct scaling_result){.base = find_base(runs, n), .scaling = wanted, .sure = true};
	const struct scaling_run *base = &runs[result->base];
	bool all_strong = true, all_fit = true, larger = false;
	for (size_t i = 0; i < n; i++) {
		runs[i].fits = fit(&runs[i], base);
		if (runs[i].figures->devices == base->figures->devices)
			continue; /* one as large as the base fits both */
		larger = true;
		all_strong &= runs[i].fits == SCALING_STRONG;
		all_fit &= runs[i].fits != SCALING_AUTO;
	}
	if (wanted == SCALING_AUTO) {
		result->scaling = larger && all_strong ? SCALING_STRONG : SCALING_WEAK;
		result->sure = !larger || (all_fit && (all_strong || result->scaling == SCALING_WEAK));
	}
	for (size_t i = 0; i < n; i++) {
		struct scaling_run *run = &runs[i];
		int64_t m = base->figures->devices, g = run->figures->devices, t = base->figures->step_ns;
		bool strong = result->scaling == SCALING_STRONG;
		run->ideal_ns = strong ? (int64_t)((2 * (__int128)t * m + g) / (2 * g)) : t;
		run->loss_ns = run->figures->step_ns - run->ideal_ns;
		double step = (double)run->figures->step_ns;
		run->efficiency = step > 0 ? (double)run->ideal_ns / step : NAN;
		run->speed_up = step > 0 ? (double)t / step * (strong ? 1 : (double)g / (double)m) : NAN;
		double expected = (double)base->busy_ns * (strong ? (double)m / (double)g : 1);
		double difference = relative((double)run->busy_ns, expected);
		result->work_difference =
			difference > result->work_difference ? difference : result->work_difference;
		bridge(run, base);
	}
}
