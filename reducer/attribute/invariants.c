#include "attribute/invariants.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

bool steps_in_order(const struct steps *steps)
{
	int32_t next = 0;
	for (size_t i = 0; i < steps->n_markers; i++) {
		const struct marker *m = &steps->markers[i];
		if (i > 0 && m->begin_ns <= m[-1].begin_ns)
			return false;
		if (m->step >= 0 && m->step != next++)
			return false;
	}
	return next == steps->n_steps;
}

bool windows_tile(const struct device_scan *scan)
{
	const int32_t n = scan->steps.n_steps;
	if (n == 0)
		return scan->window_from <= scan->window_to;
	for (int32_t i = 0; i < n; i++)
		if (scan->ends[i] > scan->ends[i + 1])
			return false;
	return scan->ends[0] == scan->window_from && scan->ends[n] == scan->window_to;
}

static int by_begin(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

bool pieces_fill(const struct pieces *pieces, const struct gap *gap)
{
	struct piece *sorted = malloc((pieces->n + 1) * sizeof(*sorted));
	size_t n = 0;
	int64_t at = gap->a;
	if (!sorted)
		return true; /* no memory to look */
	for (size_t i = 0; i < pieces->n; i++)
		if (pieces->at[i].from != pieces->at[i].to)
			sorted[n++] = pieces->at[i];
	sort_rows(sorted, n, sizeof(*sorted), by_begin);
	for (size_t i = 0; i < n && at == sorted[i].from && sorted[i].to > at; i++)
		at = sorted[i].to;
	const bool ends_well = n == 0 || sorted[n - 1].to == at;
	free(sorted);
	return ends_well && at == gap->b;
}

bool step_leaves_add_up(const struct step_leaves *leaves, const int64_t time_ns[LEAF_COUNT])
{
	if (leaves->n_steps == 0)
		return true;
	for (int leaf = LEAF_WORK_GRAPH + 1; leaf < LEAF_COUNT; leaf++) {
		__int128 sum = 0;
		for (size_t i = 0; i < leaves->n_cells; i++)
			sum += leaves->cells[(size_t)leaf * leaves->n_cells + i];
		if (sum != time_ns[leaf])
			return false;
	}
	return true;
}
