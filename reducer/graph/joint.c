#include "graph/joint.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRIED_MOST = 10, /* causes, those that cost most */
	ALONE_PART = 4,  /* of what both win: each alone wins less than a quarter */
	KEPT_TENTHS = 9  /* of what all win together: without a cause that does not matter */
};

struct tried { /* causes of units that may hide each other */
	struct culprit *at;
	size_t n, room;
};

/* A cause of the one unit that there is is of all. */
static uint32_t unit_of(const struct causes *c, uint32_t unit)
{
	return c->model->n_units > 1 ? unit : ALL_UNITS;
}

static int try_unit(const struct causes *c, struct tried *tried, const struct culprit *x)
{
	if (c->cured[x->scope.unit == ALL_UNITS ? 0 : x->scope.unit] >> x->cause & 1)
		return 0;
	if (room_for((void **)&tried->at, tried->n, &tried->room, 32, sizeof(*tried->at)) != 0)
		return -ENOMEM;
	tried->at[tried->n++] = *x;
	return 0;
}

/* Of the program's own time and kernels what a unit has more than the middle one has. */
static int try_compared(const struct causes *c, enum cause cause, int64_t least_ns,
						struct tried *tried)
{
	const size_t n = c->model->n_units;
	struct culprit *units = suspects_by_excess(c, cause);
	int error = units ? 0 : -ENOMEM;
	const int64_t usual_ns = !error && n > 2 && units[n / 2].cost_ns > 0 ? units[n / 2].cost_ns : 0;
	for (size_t i = 0; !error && i < n && units[i].cost_ns >= least_ns + usual_ns; i++)
		error = try_unit(c, tried, &units[i]);
	free(units);
	return error;
}

static int try_labelled(const struct causes *c, enum cause cause, int64_t least_ns,
						struct tried *tried)
{
	if (!costs_something(c->model, cause))
		return 0;
	int64_t *most_ns = costs_of_units(c, cause);
	int error = most_ns ? 0 : -ENOMEM;
	for (uint32_t u = 0; !error && u < c->model->n_units; u++) {
		const struct culprit x = {.cause = cause,
								  .scope = {unit_of(c, u), ALL_UNITS, 0},
								  .cost_ns = causes_per_step(c, most_ns[u])};
		error = x.cost_ns >= least_ns ? try_unit(c, tried, &x) : 0;
	}
	free(most_ns);
	return error;
}

static int find_tried(const struct causes *c, int64_t least_ns, struct tried *tried)
{
	static const enum cause labelled[] = {
		CAUSE_INPUT,    CAUSE_NO_CORE, CAUSE_BLOCKED,   CAUSE_ALLOC,      CAUSE_MODULE_LOAD,
		CAUSE_PROFILER, CAUSE_CODE,    CAUSE_HOST_FUNC, CAUSE_DEPENDENCY, CAUSE_SHARED};
	int error = 0;
	for (size_t i = 0; !error && i < sizeof(labelled) / sizeof(labelled[0]); i++)
		error = try_labelled(c, labelled[i], least_ns, tried);
	if (c->model->n_units > 1) {
		error = error ? error : try_compared(c, CAUSE_HOST, least_ns, tried);
		error = error ? error : try_compared(c, CAUSE_KERNELS, least_ns, tried);
	}
	if (!error)
		sort_rows(tried->at, tried->n, sizeof(*tried->at), culprit_by_cost);
	tried->n = tried->n < TRIED_MOST ? tried->n : TRIED_MOST;
	return error;
}

/* What all of them but number `without` win together. */
static int together(struct causes *c, const int64_t *from_ns, const struct tried *tried,
					size_t without, int64_t *gain_ns)
{
	int64_t step_ns;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	for (size_t i = 0; i < tried->n; i++)
		if (i != without)
			cause_take(c, tried->at[i].cause, &tried->at[i].scope, c->weights_ns);
	int error = causes_step(c, c->weights_ns, &step_ns);
	*gain_ns = c->step_ns - step_ns;
	return error;
}

/* Drops those without which the others win as much, cheap ones first. */
static int drop_idle(struct causes *c, const int64_t *from_ns, struct tried *tried,
					 int64_t *gain_ns)
{
	int error = 0;
	for (size_t i = tried->n; !error && tried->n > 1 && i-- > 0;) {
		int64_t without_ns;
		error = together(c, from_ns, tried, i, &without_ns);
		if (error || 10 * (__int128)without_ns < KEPT_TENTHS * (__int128)*gain_ns)
			continue;
		memmove(&tried->at[i], &tried->at[i + 1], (tried->n - i - 1) * sizeof(*tried->at));
		tried->n--;
		*gain_ns = without_ns;
	}
	return error;
}

static bool pays_together(int64_t one_ns, int64_t other_ns, int64_t both_ns)
{
	return ALONE_PART * (__int128)one_ns < both_ns && ALONE_PART * (__int128)other_ns < both_ns;
}

static void join(struct culprit *first, const struct culprit *other, int64_t first_ns,
				 int64_t other_ns)
{
	first->joint = (struct joint_cause){.known = true,
										.cause = other->cause,
										.scope = other->scope,
										.first_alone_ns = first_ns > 0 ? first_ns : 0,
										.alone_ns = other_ns > 0 ? other_ns : 0};
	first->cost_ns += other->cost_ns;
}

static bool has_finding(const struct joint_search *search, const struct culprit *x)
{
	bool has = false;
	for (uint32_t i = 0; i < search->n_found; i++)
		has |= x->scope.unit != ALL_UNITS && search->found[i].scope.unit == x->scope.unit;
	return has;
}

/* A unit has one finding: the first one is of a unit that has none yet. No cost: both have one. */
static struct culprit pair_of(const struct joint_search *search, const struct culprit *two,
							  const int64_t gains_ns[3])
{
	for (int i = 0; i < 2; i++) {
		struct culprit pair = two[i];
		if (has_finding(search, &pair))
			continue;
		pair.gain.ns = gains_ns[2];
		join(&pair, &two[1 - i], gains_ns[i], gains_ns[1 - i]);
		return pair;
	}
	return (struct culprit){0};
}

/* What the cures win on units without these causes, which is noise. */
static int usual(struct causes *c, const int64_t *from_ns, const struct tried *tried, int64_t *ns)
{
	int error = 0;
	*ns = 0;
	for (size_t i = 0; !error && i < tried->n; i++) {
		const struct culprit *x = &tried->at[i];
		struct peers peers = {0};
		if (cause_compares(x->cause))
			error = gain_peers(c, UINT32_C(1) << x->cause, &x->scope, from_ns, &peers);
		*ns += peers.known && peers.middle_ns > 0 ? peers.middle_ns : 0;
	}
	return error;
}

/* The lower limit of what two win, less what is noise. */
static int limit_of(struct causes *c, const int64_t *from_ns, const struct tried *tried,
					int64_t *limit_ns)
{
	int64_t usual_ns, both_ns, below_ns = 0;
	int error = usual(c, from_ns, tried, &usual_ns);
	error = error ? error : together(c, from_ns, tried, tried->n, &both_ns);
	for (size_t i = 0; !error && i < tried->n; i++)
		if (cause_compares(tried->at[i].cause))
			below_ns = gain_below_ns(c);
	*limit_ns = error ? 0 : both_ns - usual_ns - below_ns;
	return error;
}

/* What each of them wins without the others. Returns the one that wins most. */
static int alone(struct causes *c, const int64_t *from_ns, const struct tried *tried,
				 int64_t gains_ns[TRIED_MOST], size_t *most)
{
	int error = 0;
	*most = 0;
	for (size_t i = 0; !error && i < tried->n; i++) {
		const struct tried one = {.at = &tried->at[i], .n = 1};
		error = together(c, from_ns, &one, 1, &gains_ns[i]);
		*most = gains_ns[i] > gains_ns[*most] ? i : *most;
	}
	return error;
}

/* Three and more with one cause have what all have: then it is asked of all. */
static bool is_of_all(const struct tried *tried)
{
	bool same = tried->n > 2 && !cause_compares(tried->at[0].cause);
	for (size_t i = 1; i < tried->n; i++)
		same &= tried->at[i].cause == tried->at[0].cause;
	return same;
}

/* One that wins something by itself: what was cured had hidden it. */
static int single_of(struct causes *c, const int64_t *from_ns, const struct tried *tried,
					 size_t most, struct culprit *out)
{
	*out = tried->at[most];
	if (is_of_all(tried)) {
		out->scope = (struct scope){ALL_UNITS, ALL_UNITS, 0};
		for (size_t i = 0; i < tried->n; i++)
			out->cost_ns += i == most ? 0 : tried->at[i].cost_ns;
	}
	const struct tried one = {.at = out, .n = 1};
	return together(c, from_ns, &one, 1, &out->gain.ns);
}

/* Of those that win something together: the best one, or two of which neither wins much alone. */
static int choose(struct causes *c, const struct joint_search *search, struct tried *tried,
				  struct joint_found *found)
{
	int64_t gains_ns[TRIED_MOST];
	size_t most;
	int error = alone(c, search->from_ns, tried, gains_ns, &most);
	if (error)
		return error;
	const bool pair = tried->n == 2 && pays_together(gains_ns[0], gains_ns[1], found->all_ns);
	const bool single = !pair && gains_ns[most] > search->least_ns;
	if (!single && !pair)
		return 0;
	if (pair)
		found->culprit =
			pair_of(search, tried->at, (int64_t[]){gains_ns[0], gains_ns[1], found->all_ns});
	else
		error = single_of(c, search->from_ns, tried, most, &found->culprit);
	const struct tried named = {.at = pair ? tried->at : &found->culprit, .n = pair ? 2 : 1};
	error = error ? error : limit_of(c, search->from_ns, &named, &found->culprit.limit_ns);
	if (found->culprit.limit_ns <= search->least_ns)
		found->culprit.cost_ns = 0;
	return error;
}

int joint_find(struct causes *c, const struct joint_search *search, struct joint_found *found)
{
	struct tried tried = {0};
	*found = (struct joint_found){.all_ns = 0};
	int error = find_tried(c, search->least_ns, &tried);
	if (!error && tried.n > 0)
		error = together(c, search->from_ns, &tried, tried.n, &found->all_ns);
	if (!error && found->all_ns > search->least_ns)
		error = drop_idle(c, search->from_ns, &tried, &found->all_ns);
	if (!error && found->all_ns > search->least_ns)
		error = choose(c, search, &tried, found);
	free(tried.at);
	return error;
}

/* Of units, and none of how the program is built or of unevenness. */
static bool may_join(const struct causes *c, const struct culprit *x)
{
	static const uint32_t never = UINT32_C(1) << CAUSE_STEADY_HOST | UINT32_C(1) << CAUSE_SYNC |
								  UINT32_C(1) << CAUSE_SYNC_DEVICE | UINT32_C(1) << CAUSE_SYNC_MID |
								  UINT32_C(1) << CAUSE_SYNC_END |
								  UINT32_C(1) << CAUSE_EVEN_KERNELS |
								  UINT32_C(1) << CAUSE_EVEN_HOST;
	return !x->joint.known && !(never >> x->cause & 1) &&
		   (x->scope.unit != ALL_UNITS || c->model->n_units == 1);
}

bool joint_merge(const struct causes *c, struct culprit *first, const struct culprit *later)
{
	const int64_t both_ns = first->gain.ns + later->gain.ns, first_ns = first->gain.ns;
	if (!may_join(c, first) || !may_join(c, later) ||
		!pays_together(first_ns, later->alone_ns, both_ns))
		return false;
	first->gain.ns = both_ns;
	first->gain.low_ns += later->gain.low_ns;
	first->gain.high_ns += later->gain.high_ns;
	first->limit_ns += later->limit_ns;
	join(first, later, first_ns, later->alone_ns);
	return true;
}
