#include "conclude/side.h"

#include "conclude/scaling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void side_close(struct side *side)
{
	free(side->each);
	*side = (struct side){0};
}

/* Exact: the leaves add up to the step. */
static void mean_times(const struct side *side, struct figures *mean)
{
	__int128 terms[LEAF_COUNT] = {0};
	for (size_t i = 0; i < side->n; i++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			terms[leaf] += side->each[i].time_ns[leaf];
	figures_share_out(terms, LEAF_COUNT, (int64_t)side->n, mean->time_ns);
	mean->step_ns = figures_time(mean, LEAVES_ALL);
}

static size_t find_middle(const struct side *side, int64_t step_ns)
{
	size_t middle = 0;
	for (size_t i = 1; i < side->n; i++)
		if (llabs(side->each[i].step_ns - step_ns) < llabs(side->each[middle].step_ns - step_ns))
			middle = i;
	return middle;
}

static int64_t rounded_mean(__int128 sum, size_t n)
{
	return (int64_t)((2 * sum + (int64_t)n) / (2 * (int64_t)n));
}

static void mean_counts(const struct side *side, struct figures *mean)
{
	__int128 hidden = 0, kernels = 0, shorts = 0, launches = 0, tool = 0;
	for (size_t i = 0; i < side->n; i++) {
		const struct figures *f = &side->each[i];
		hidden += f->hidden_ns;
		kernels += f->kernels;
		shorts += f->short_kernels;
		launches += f->launches;
		tool += f->tool_ns;
		mean->carried |= f->carried;
		mean->has_steps &= f->has_steps;
	}
	mean->hidden_ns = rounded_mean(hidden, side->n);
	mean->kernels = rounded_mean(kernels, side->n);
	mean->short_kernels = rounded_mean(shorts, side->n);
	mean->launches = rounded_mean(launches, side->n);
	mean->tool_ns = rounded_mean(tool, side->n);
}

int side_open(struct side *side, const struct summary *const *summaries, size_t n)
{
	struct figures times;
	__int128 busy = 0;
	*side = (struct side){.summaries = summaries, .n = n};
	side->each = calloc(n + 1, sizeof(*side->each));
	if (!side->each || n == 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		figures_compute(summaries[i], &side->each[i]);
		busy += scaling_busy(summaries[i]);
	}
	side->busy_ns = rounded_mean(busy, n);
	mean_times(side, &times);
	side->middle = find_middle(side, times.step_ns);
	side->mean = side->each[side->middle];
	mean_times(side, &side->mean);
	mean_counts(side, &side->mean);
	return 0;
}

bool side_has_steps(const struct side *side, int64_t least)
{
	bool has = side->n > 0;
	for (size_t i = 0; i < side->n; i++)
		has &= side->each[i].has_steps && side->each[i].steps >= least &&
			   side->summaries[i]->n_series > 0;
	return has;
}

int side_draw_steps(const struct side *side, const struct by_step *steps, uint64_t state,
					int64_t means[BY_STEP_DRAWS])
{
	__int128 sums[BY_STEP_DRAWS];
	const __int128 middle = by_step_sum(steps), cells = (__int128)steps->n * side->mean.devices;
	int error = by_step_draw(steps, state, sums);
	for (int k = 0; k < BY_STEP_DRAWS && !error; k++)
		means[k] = cells ? (int64_t)((sums[k] - middle) / cells) : 0;
	return error;
}

/* Adds one run's draws. */
static int draw_one(const struct side *side, size_t i, uint64_t leaves, uint64_t state,
					__int128 sums[BY_STEP_DRAWS])
{
	int64_t means[BY_STEP_DRAWS];
	struct by_step steps;
	int error = by_step_open(&steps, side->summaries[i], leaves, 0);
	if (!error)
		error = side_draw_steps(side, &steps, state, means);
	for (int k = 0; k < BY_STEP_DRAWS && !error; k++)
		sums[k] += means[k];
	by_step_close(&steps);
	return error;
}

int side_draw(const struct side *side, uint64_t leaves, uint64_t state,
			  int64_t means[BY_STEP_DRAWS])
{
	__int128 sums[BY_STEP_DRAWS] = {0};
	int error = 0;
	for (size_t i = 0; i < side->n && !error; i++)
		error = draw_one(side, i, leaves, state + ((uint64_t)i << 32), sums);
	for (int k = 0; k < BY_STEP_DRAWS; k++)
		means[k] = (int64_t)(sums[k] / (int64_t)side->n);
	return error;
}

int64_t side_spread_of(const struct side *side, const double parts[LEAF_COUNT])
{
	double least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < side->n; i++) {
		double ns = 0;
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			ns += parts[leaf] * (double)side->each[i].time_ns[leaf];
		least = fmin(least, ns);
		most = fmax(most, ns);
	}
	return side->n ? llround(most - least) : 0;
}

int64_t side_spread(const struct side *side, uint64_t leaves)
{
	double parts[LEAF_COUNT];
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		parts[leaf] = leaves & LEAF_BIT(leaf) ? 1 : 0;
	return side_spread_of(side, parts);
}
