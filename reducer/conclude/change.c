#include "conclude/change.h"

#include "conclude/by_step.h"

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
static int draw_means(const struct summary *summary, uint32_t devices, uint64_t leaves,
					  uint64_t state, int64_t means[BY_STEP_DRAWS])
{
	__int128 sums[BY_STEP_DRAWS];
	struct by_step steps;
	int error = by_step_open(&steps, summary, leaves, 0);
	if (!error)
		error = by_step_draw(&steps, state, sums);
	const __int128 middle = by_step_sum(&steps), cells = (__int128)steps.n * devices;
	for (int i = 0; i < BY_STEP_DRAWS && !error; i++)
		means[i] = cells ? (int64_t)((sums[i] - middle) / cells) : 0;
	by_step_close(&steps);
	return error;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

struct sides {
	const struct summary *summary, *base_summary;
	const struct scaling_run *run, *base;
};

/* Of the base's time `ideal` / its step is what the run would have. */
static int64_t scaled(const struct sides *s, int64_t ns)
{
	const int64_t step_ns = s->base->figures->step_ns;
	return step_ns > 0 ? (int64_t)((__int128)ns * s->run->ideal_ns / step_ns) : 0;
}

static int find_range(const struct sides *s, uint64_t leaves, int64_t difference_ns, int rank,
					  struct change_range *range)
{
	int64_t run[BY_STEP_DRAWS], base[BY_STEP_DRAWS];
	int error = draw_means(s->summary, s->run->figures->devices, leaves, RUN_STATE, run);
	if (!error)
		error = draw_means(s->base_summary, s->base->figures->devices, leaves, BASE_STATE, base);
	if (error)
		return error;
	for (int i = 0; i < BY_STEP_DRAWS; i++) {
		const __int128 at = (__int128)run[i] + difference_ns - scaled(s, base[i]);
		run[i] = at > MOST_NS ? MOST_NS : at < -MOST_NS ? -MOST_NS : (int64_t)at;
	}
	qsort(run, BY_STEP_DRAWS, sizeof(run[0]), by_size);
	range->low_ns = run[rank - 1];
	range->high_ns = run[BY_STEP_DRAWS - rank];
	range->changed = (range->low_ns > 0 || range->high_ns < 0) &&
					 llabs(difference_ns) >= s->run->ideal_ns / MATTERS;
	return 0;
}

/* Enough steps, on the device with most, whose times are known one by one. */
static bool has_steps(const struct summary *summary, const struct figures *figures)
{
	return figures->has_steps && figures->steps >= STEPS_LEAST && summary->n_series > 0;
}

int change_find(const struct summary *summary, const struct scaling_run *run,
				const struct summary *base_summary, const struct scaling_run *base,
				struct change *change)
{
	const struct sides s = {summary, base_summary, run, base};
	*change = (struct change){.known = has_steps(summary, run->figures) &&
									   has_steps(base_summary, base->figures)};
	int error = 0;
	if (!change->known)
		return 0;
	error = find_range(&s, LEAVES_ALL, run->loss_ns, LOSS_RANK, &change->loss);
	for (int leaf = 0; !error && leaf < LEAF_COUNT; leaf++)
		error =
			find_range(&s, LEAF_BIT(leaf), run->terms_ns[leaf], TERM_RANK, &change->terms[leaf]);
	return error;
}
