#include "graph/several.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FAR_TIMES = 3, /* so much more than any other unit has, or is faster by */
	WON_TENTHS = 6 /* of the gain of the cause everywhere */
};

static int by_cost_down(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	return x->cost_ns > y->cost_ns ? -1 : x->cost_ns < y->cost_ns;
}

/* How much more of it a unit has than others: of a label all that it has. */
static int64_t more_ns(const struct causes *c, const struct culprit *x)
{
	return cause_compares(x->cause) ? causes_per_step(c, cause_excess(c, x->cause, x->scope.unit))
									: x->cost_ns;
}

/* What units that are no suspects have at most, or are faster by. */
static int64_t most_of_others(const struct causes *c, enum cause cause, const struct culprit *units,
							  size_t n)
{
	int64_t most_ns = 0;
	for (uint32_t u = 0; cause_compares(cause) && u < c->model->n_units; u++) {
		int64_t ns = causes_per_step(c, cause_excess(c, cause, u));
		bool known = c->cured[u] >> cause & 1;
		for (size_t i = 0; ns > 0 && i < n; i++)
			known |= units[i].scope.unit == u;
		ns = ns < 0 ? -ns : known ? 0 : ns;
		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

/* The suspects of one unit, those with most first. Returns how many. */
static size_t find_units(const struct causes *c, const struct suspects *all, enum cause cause,
						 struct culprit *units)
{
	size_t n = 0;
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].cause == cause && all->at[i].scope.unit != ALL_UNITS) {
			units[n] = all->at[i];
			units[n].cost_ns = more_ns(c, &all->at[i]);
			n++;
		}
	sort_rows(units, n, sizeof(*units), by_cost_down);
	return n;
}

static int win(struct causes *c, const struct culprit *units, size_t n, const int64_t *from_ns,
			   int64_t *gain_ns)
{
	int64_t step_ns;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	for (size_t i = 0; i < n; i++)
		cause_take(c, units[i].cause, &units[i].scope, c->weights_ns);
	int error = causes_step(c, c->weights_ns, &step_ns);
	*gain_ns = c->step_ns - step_ns;
	return error;
}

struct units { /* those with most first */
	const struct culprit *at;
	size_t n;
	int64_t others_ns; /* the most that any other unit has */
};

/* Fewer than all of a host; everywhere less than half, as the others are what they are compared with.
 */
static size_t most_units(const struct model *m, const struct culprit *wide)
{
	size_t n = 0;
	for (size_t u = 0; u < m->n_units; u++)
		n += wide->scope.host == m->units[u].host;
	const size_t half = (m->n_units - 1) / 2;
	return n > 0 && n - 1 < half ? n - 1 : half;
}

/* Are the first n of the scope's host, if it is of one? */
static bool are_within(const struct model *m, const struct culprit *wide, const struct units *units,
					   size_t n)
{
	bool within = true;
	for (size_t i = 0; i < n && wide->scope.host != ALL_UNITS; i++)
		within &= m->units[units->at[i].scope.unit].host == wide->scope.host;
	return within;
}

/* The fewest that stand out from all others and together win most of what the cause wins everywhere
 * or on its host. */
static int choose(struct causes *c, const struct units *units, const struct culprit *wide,
				  const int64_t *from_ns, struct several *out)
{
	const size_t most = most_units(c->model, wide);
	int error = 0;
	for (size_t n = 2; !error && n <= units->n && n <= most && n <= TOGETHER_MOST; n++) {
		int64_t gain_ns, next_ns = n < units->n ? units->at[n].cost_ns : 0;
		next_ns = next_ns > units->others_ns ? next_ns : units->others_ns;
		if (units->at[n - 1].cost_ns < FAR_TIMES * (__int128)next_ns ||
			!are_within(c->model, wide, units, n))
			continue;
		error = win(c, units->at, n, from_ns, &gain_ns);
		if (error || 10 * (__int128)gain_ns < WON_TENTHS * (__int128)wide->gain.ns)
			continue;
		out->n = n;
		memcpy(out->at, units->at, n * sizeof(*out->at));
		break;
	}
	return error;
}

/* Fewer waits are structure, cores are a host's, and stages of a pipeline differ by design. */
static bool may_be_few(const struct causes *c, const struct culprit *wide)
{
	const enum cause cause = cause_of_unit(wide->cause);
	const bool one_host = wide->scope.host != ALL_UNITS || c->model->n_hosts == 1;
	const bool of_host = one_host && cause == CAUSE_NO_CORE;
	return wide->scope.unit == ALL_UNITS && !of_host && !cause_is_sync(cause) &&
		   (!cause_compares(cause) || c->model->meetings == 0);
}

int several_find(struct causes *c, const struct suspects *all, const struct culprit *wide,
				 const int64_t *from_ns, struct several *out)
{
	const enum cause cause = cause_of_unit(wide->cause);
	out->n = 0;
	if (!may_be_few(c, wide))
		return 0;
	struct culprit *at = malloc((all->n + 1) * sizeof(*at));
	if (!at)
		return -ENOMEM;
	struct units units = {.at = at, .n = find_units(c, all, cause, at)};
	units.others_ns = most_of_others(c, cause, at, units.n);
	if (units.others_ns < all->least_ns)
		units.others_ns = all->least_ns;
	int error = choose(c, &units, wide, from_ns, out);
	free(at);
	return error;
}

void several_share(const struct several *several, const struct gain *gain, int64_t limit_ns,
				   struct culprit *out)
{
	double sum = 0;
	for (size_t i = 0; i < several->n; i++)
		sum += (double)several->at[i].cost_ns;
	for (size_t i = 0; i < several->n; i++) {
		const double part = sum > 0 ? (double)several->at[i].cost_ns / sum : 0;
		out[i] = several->at[i];
		out[i].gain = (struct gain){(int64_t)(part * (double)gain->ns),
									(int64_t)(part * (double)gain->low_ns),
									(int64_t)(part * (double)gain->high_ns)};
		out[i].limit_ns = (int64_t)(part * (double)limit_ns);
	}
}
