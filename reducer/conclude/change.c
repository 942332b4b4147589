#include "conclude/change.h"

#include "base/sort.h"

#include <stdlib.h>

enum {
	STEPS_LEAST = 8,
	LOSS_RANK = 5, /* of the draws: 99 % of them are between the ranks */
	TERM_RANK = 3, /* 99.4 %: there are many terms */
	RUN_STATE = 1, /* of the random numbers: two runs are drawn apart */
	BASE_STATE = 0x62617365,
};

/* More than any time of a trace. */
#define MOST_NS (INT64_MAX / 4)

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

/* What runs of one job differ by is no difference between jobs. */
static int64_t repeat_floor(const struct change_sides *s, int64_t own_ns, int64_t of_base_ns)
{
	const int64_t scaled_ns = change_scaled(s, of_base_ns);
	return own_ns > scaled_ns ? own_ns : scaled_ns;
}

struct draws { /* of the two sides, less their own mean: ns per step and device */
	int64_t run[BY_STEP_DRAWS], base[BY_STEP_DRAWS];
};

/* Ranges are between the draws of `rank`, from below and from above; draws->run is used up. */
static void range_of(const struct change_sides *s, struct draws *draws, int64_t difference_ns,
					 int64_t floor_ns, int rank, struct change_range *range)
{
	int64_t *run = draws->run;
	for (int i = 0; i < BY_STEP_DRAWS; i++) {
		const __int128 at = (__int128)run[i] + difference_ns - change_scaled(s, draws->base[i]);
		run[i] = at > MOST_NS ? MOST_NS : at < -MOST_NS ? -MOST_NS : (int64_t)at;
	}
	sort_rows(run, BY_STEP_DRAWS, sizeof(run[0]), by_size);
	const int64_t low_ns = run[rank - 1], high_ns = run[BY_STEP_DRAWS - rank];
	range->low_ns = low_ns < difference_ns - floor_ns ? low_ns : difference_ns - floor_ns;
	range->high_ns = high_ns > difference_ns + floor_ns ? high_ns : difference_ns + floor_ns;
	range->changed =
		change_lacks_zero(range) && llabs(difference_ns) >= s->run->ideal_ns / CHANGE_MATTERS;
}

static int find_range(const struct change_sides *s, uint64_t leaves, int64_t difference_ns,
					  int rank, struct change_range *range)
{
	struct draws draws;
	int error = side_draw(s->side, leaves, RUN_STATE, draws.run);
	if (!error)
		error = side_draw(s->base_side, leaves, BASE_STATE, draws.base);
	const int64_t floor_ns =
		repeat_floor(s, side_spread(s->side, leaves), side_spread(s->base_side, leaves));
	if (!error)
		range_of(s, &draws, difference_ns, floor_ns, rank, range);
	return error;
}

int change_of_leaves(const struct change_sides *sides, uint64_t leaves, int64_t difference_ns,
					 struct change_range *range)
{
	return find_range(sides, leaves, difference_ns, TERM_RANK, range);
}

int change_range(const struct change_sides *s, const struct change_steps *steps,
				 struct change_range *range)
{
	struct draws draws;
	int error = side_draw_steps(s->side, &steps->run, RUN_STATE, draws.run);
	if (!error)
		error = side_draw_steps(s->base_side, &steps->base, BASE_STATE, draws.base);
	const int64_t floor_ns = repeat_floor(s, side_spread_of(s->side, steps->run_parts),
										  side_spread_of(s->base_side, steps->base_parts));
	if (!error)
		range_of(s, &draws, steps->difference_ns, floor_ns, TERM_RANK, range);
	return error;
}

int change_find(const struct change_sides *s, struct change *change)
{
	*change = (struct change){.known = side_has_steps(s->side, STEPS_LEAST) &&
									   side_has_steps(s->base_side, STEPS_LEAST)};
	int error = 0;
	if (!change->known)
		return 0;
	error = find_range(s, LEAVES_ALL, s->run->loss_ns, LOSS_RANK, &change->loss);
	for (int leaf = 0; !error && leaf < LEAF_COUNT; leaf++)
		error =
			find_range(s, LEAF_BIT(leaf), s->run->terms_ns[leaf], TERM_RANK, &change->terms[leaf]);
	return error;
}
