#include "import/gpu_clock.h"

#include "base/lag_floor.h"

#include <errno.h>
#include <stdlib.h>

/* The same ids are kept at every import of a file, so that it can be repeated. */
static bool is_kept(const struct gpu_clock *clock, uint64_t correlation)
{
	uint64_t hash = correlation * UINT64_C(0x9e3779b97f4a7c15);
	return clock->thinned == 0 || hash >> (64 - clock->thinned) == 0;
}

static void thin(struct gpu_clock *clock)
{
	size_t kept = 0;
	clock->thinned++;
	for (size_t i = 0; i < clock->n; i++)
		if (is_kept(clock, clock->pairs[i].correlation))
			clock->pairs[kept++] = clock->pairs[i];
	clock->n = kept;
	table_free(&clock->ids);
}

/* *pair is NULL when the id is not among those that are kept. 0 or -ENOMEM. */
static int find(struct gpu_clock *clock, uint64_t correlation, struct gpu_clock_pair **pair)
{
	*pair = NULL;
	if (clock->n >= GPU_CLOCK_MOST && clock->thinned < 63)
		thin(clock);
	if (!correlation || !is_kept(clock, correlation))
		return 0;
	uint32_t row =
		table_add(&clock->ids, TABLE_ROWS(clock->pairs, clock->n, correlation), &correlation);
	*pair = row ? &clock->pairs[row - 1] : NULL;
	return row ? 0 : -ENOMEM;
}

int gpu_clock_call(struct gpu_clock *clock, uint64_t correlation, int64_t start_ns)
{
	struct gpu_clock_pair *pair;
	int error = find(clock, correlation, &pair);
	if (pair && (!pair->has_call || start_ns < pair->call_ns)) {
		pair->call_ns = start_ns;
		pair->has_call = true;
	}
	return error;
}

int gpu_clock_op(struct gpu_clock *clock, uint64_t correlation, int64_t start_ns)
{
	struct gpu_clock_pair *pair;
	int error = find(clock, correlation, &pair);
	if (pair && (!pair->has_op || start_ns < pair->op_ns)) {
		pair->op_ns = start_ns;
		pair->has_op = true;
	}
	return error;
}

void gpu_clock_free(struct gpu_clock *clock)
{
	free(clock->pairs);
	table_free(&clock->ids);
	*clock = (struct gpu_clock){0};
}

int64_t gpu_clock_shift_ns(const struct gpu_clock *clock)
{
	struct lag_floor floor = {0};
	for (size_t i = 0; i < clock->n; i++) {
		const struct gpu_clock_pair *pair = &clock->pairs[i];
		if (pair->has_call && pair->has_op)
			lag_floor_add(&floor, pair->op_ns - pair->call_ns);
	}
	int64_t early_ns = lag_floor_early_ns(&floor);
	return early_ns > 0 ? early_ns + LAG_FLOOR_USUAL_NS : 0;
}
