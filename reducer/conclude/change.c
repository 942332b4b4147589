#include "conclude/change.h"

#include <stdlib.h>

enum {
	STEPS_LEAST = 8,
	MATTERS = 200, /* a difference of less than 1 / so much of the step is none */
	LOSS_RANK = 5, /* of the draws: 99 % of them are between the ranks */
	TERM_RANK = 3, /* 99.4 %: there are many terms */
	RUN_STATE = 1, /* of the random numbers: two runs are drawn apart */
	BASE_STATE = 0x62617365,
};

/* More than any time of a trace. */
#define MOST_NS (INT64_MAX / 4)

/* The means of one side's draws, less their own mean: ns per step and device. */
static int draw_means(const struct by_step *steps, uint32_t devices, uint64_t state,
					  int64_t means[BY_STEP_DRAWS])
{
	__int128 sums[BY_STEP_DRAWS];
	const __int128 middle = by_step_sum(steps), cells = (__int128)steps->n * devices;
	int error = by_step_draw(steps, state, sums);
	for (int i = 0; i < BY_STEP_DRAWS && !error; i++)
		means[i] = cells ? (int64_t)((sums[i] - middle) / cells) : 0;
	return error;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int64_t change_scaled(const struct change_sides *s, int64_t ns)
{
	const int64_t step_ns = s->base->figures->step_ns;
	return step_ns > 0 ? (int64_t)((__int128)ns * s->run->ideal_ns / step_ns) : 0;
}

static int range_of(const struct change_sides *s, const struct change_steps *steps, int rank,
					struct change_range *range)
{
	int64_t run[BY_STEP_DRAWS], base[BY_STEP_DRAWS];
	const int64_t difference_ns = steps->difference_ns;
	int error = draw_means(&steps->run, s->run->figures->devices, RUN_STATE, run);
	if (!error)
		error = draw_means(&steps->base, s->base->figures->devices, BASE_STATE, base);
	if (error)
		return error;
	for (int i = 0; i < BY_STEP_DRAWS; i++) {
		const __int128 at = (__int128)run[i] + difference_ns - change_scaled(s, base[i]);
		run[i] = at > MOST_NS ? MOST_NS : at < -MOST_NS ? -MOST_NS : (int64_t)at;
	}
	qsort(run, BY_STEP_DRAWS, sizeof(run[0]), by_size);
	range->low_ns = run[rank - 1];
	range->high_ns = run[BY_STEP_DRAWS - rank];
	range->changed = change_lacks_zero(range) && llabs(difference_ns) >= s->run->ideal_ns / MATTERS;
	return 0;
}

int change_range(const struct change_sides *s, const struct change_steps *steps,
				 struct change_range *range)
{
	return range_of(s, steps, TERM_RANK, range);
}

static int find_range(const struct change_sides *s, uint64_t leaves, int64_t difference_ns,
					  struct change_range *range)
{
	struct change_steps steps = {.difference_ns = difference_ns};
	int error = by_step_open(&steps.run, s->summary, leaves, 0);
	if (!error)
		error = by_step_open(&steps.base, s->base_summary, leaves, 0);
	if (!error)
		error = range_of(s, &steps, leaves == LEAVES_ALL ? LOSS_RANK : TERM_RANK, range);
	by_step_close(&steps.run);
	by_step_close(&steps.base);
	return error;
}

/* Enough steps, on the device with most, whose times are known one by one. */
static bool has_steps(const struct summary *summary, const struct figures *figures)
{
	return figures->has_steps && figures->steps >= STEPS_LEAST && summary->n_series > 0;
}

int change_find(const struct change_sides *s, struct change *change)
{
	*change = (struct change){.known = has_steps(s->summary, s->run->figures) &&
									   has_steps(s->base_summary, s->base->figures)};
	int error = 0;
	if (!change->known)
		return 0;
	error = find_range(s, LEAVES_ALL, s->run->loss_ns, &change->loss);
	for (int leaf = 0; !error && leaf < LEAF_COUNT; leaf++)
		error = find_range(s, LEAF_BIT(leaf), s->run->terms_ns[leaf], &change->terms[leaf]);
	return error;
}
