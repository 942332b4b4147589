#include "graph/suspects.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

int culprit_width(const struct culprit *x)
{
	return x->scope.unit != ALL_UNITS ? 0 : x->scope.host != ALL_UNITS ? 1 : 2;
}

bool culprit_is_same(const struct culprit *x, const struct culprit *y)
{
	return x->cause == y->cause && x->scope.unit == y->scope.unit && x->scope.host == y->scope.host;
}

int suspects_keep(struct suspects *out, const struct culprit *x)
{
	if (x->cost_ns < out->least_ns)
		return 0; /* else another cause may hide it */
	if (room_for((void **)&out->at, out->n, &out->room, 64, sizeof(*out->at)) != 0)
		return -ENOMEM;
	out->at[out->n++] = *x;
	return 0;
}

static int by_gain_down(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	if (x->gain.ns != y->gain.ns)
		return x->gain.ns > y->gain.ns ? -1 : 1;
	return x->cost_ns > y->cost_ns ? -1 : x->cost_ns < y->cost_ns;
}

void suspects_sort(struct suspects *all)
{
	sort_rows(all->at, all->n, sizeof(*all->at), by_gain_down);
}

int culprit_by_cost(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	if (x->cost_ns != y->cost_ns)
		return x->cost_ns > y->cost_ns ? -1 : 1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	return x->scope.unit < y->scope.unit ? -1 : x->scope.unit > y->scope.unit;
}

struct culprit *suspects_by_excess(const struct causes *c, enum cause cause)
{
	const size_t n = c->model->n_units;
	struct culprit *units = malloc((n + 1) * sizeof(*units));
	for (uint32_t u = 0; units && u < n; u++)
		units[u] = (struct culprit){.cause = cause,
									.scope = {u, ALL_UNITS, 0},
									.cost_ns = causes_per_step(c, cause_excess(c, cause, u))};
	if (units)
		sort_rows(units, n, sizeof(*units), culprit_by_cost);
	return units;
}
