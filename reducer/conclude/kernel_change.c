#include "conclude/kernel_change.h"

#include "classify/classify.h"
#include "classify/demangle.h"
#include "summary/summary.h"

#include <math.h>

struct side_sums { /* of one side's matching kernels, per step and device */
	double ns, variance;
	bool any;
};

double kernel_change_squares(const struct counts *counts, double mean)
{
	double sum = 0;
	for (uint32_t i = 0; i < counts->room; i++) {
		const double off = (double)counts->slots[i].value - mean;
		sum += counts->slots[i].n ? off * off * (double)counts->slots[i].n : 0;
	}
	return sum;
}

/* By the name that reports show, or the one in the trace. */
static bool matches(const regex_t *pattern, const char *name)
{
	char readable[4096];
	demangle(name, readable, sizeof(readable));
	return regexec(pattern, readable, 0, NULL, 0) == 0 || regexec(pattern, name, 0, NULL, 0) == 0;
}

/* Each launch is taken as drawn by itself, so its variance adds up. */
static struct side_sums run_sums(const struct summary *s, const regex_t *pattern)
{
	struct side_sums sums = {0};
	double steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? (double)s->devices[i].steps : 1;
	for (size_t i = 0; i < s->n_kernels && steps > 0; i++) {
		const struct kernel_summary *k = &s->kernels[i];
		if (k->count == 0 || !matches(pattern, summary_text(s, k->name)))
			continue;
		sums.any = true;
		sums.ns += (double)k->total_ns / steps;
		sums.variance += kernel_change_squares(&k->dur_ns, (double)k->total_ns / (double)k->count) /
						 (steps * steps);
	}
	return sums;
}

/* The mean of the runs, and how far they lie apart. */
static struct side_sums side_sums(const struct side *side, const regex_t *pattern, double *spread)
{
	struct side_sums all = {0};
	double least = INFINITY, most = 0;
	const double n = (double)side->n;
	for (size_t i = 0; i < side->n; i++) {
		const struct side_sums one = run_sums(side->summaries[i], pattern);
		all.any |= one.any;
		all.ns += one.ns / n;
		all.variance += one.variance / (n * n);
		least = fmin(least, one.ns);
		most = fmax(most, one.ns);
	}
	*spread = fmax(*spread, most - least);
	return all;
}

double kernel_change_together(const struct change_sides *s)
{
	struct change_range range;
	int64_t difference_ns = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		difference_ns += LEAVES_WORK & LEAF_BIT(leaf) ? s->run->terms_ns[leaf] : 0;
	const int64_t base_ns = figures_time(s->base->figures, LEAVES_WORK);
	if (base_ns <= 0 || change_of_leaves(s, LEAVES_WORK, difference_ns, &range) != 0)
		return NAN;
	return (double)change_half_ns(&range) / (double)base_ns;
}

void kernel_change_find(const struct change_sides *s, const struct change *change,
						const regex_t *pattern, struct kernel_change *out)
{
	double spread = 0;
	const struct side_sums base = side_sums(s->base_side, pattern, &spread);
	const struct side_sums run = side_sums(s->side, pattern, &spread);
	*out = (struct kernel_change){base.ns, run.ns, NAN, base.any || run.any};
	if (!change->known)
		return;
	const double apart = NORMAL_99 * sqrt(base.variance + run.variance);
	const double half = apart + kernel_change_together(s) * fmax(base.ns, run.ns);
	out->half_ns = isnan(half) ? NAN : fmax(spread, half); /* fmax() would drop a NAN */
}
