#include "graph/choice.h"

#include <errno.h>
#include <string.h>

enum {
	NEAR_PART = 10,  /* of the best gain: causes within a tenth are told apart by their cost */
	NEAR_STEP = 200, /* of the step */
	COST_BINS = 500, /* of the step: costs within a bin are equal */
	/* of the gain: so much by a cause of its own goes before a structural one, so much on one unit
	 * before everywhere */
	OWN_TENTHS = 6,
	FIRST_TENTHS = 2, /* of the gain: so much has the first of several that go before it together */
	HOST_TENTHS = 9,  /* so much of a lack of cores on one unit of a host: cores are the host's */
	OWN_MOST = 6,
	SAME_PERCENT = 99, /* of the gain: two causes that win so much win it by the same time */
	MORE_TENTHS = 15   /* of the others' mean cost: a unit or host has more than they have */
};

bool choice_is_structure(const struct culprit *x)
{
	return cause_is_sync(x->cause) && x->cause != CAUSE_SYNC_DEVICE && culprit_width(x) == 2;
}

bool choice_is_even(const struct culprit *x)
{
	return x->cause == CAUSE_EVEN_KERNELS || x->cause == CAUSE_EVEN_HOST;
}

/* Of equal gains the one that changes less, then the narrower one. */
static bool is_less(const struct culprit *x, const struct culprit *y, int64_t step_ns)
{
	const int64_t bin_ns = step_ns / COST_BINS > 0 ? step_ns / COST_BINS : 1;
	const int64_t x_bin = (x->cost_ns + bin_ns / 2) / bin_ns;
	const int64_t y_bin = (y->cost_ns + bin_ns / 2) / bin_ns;
	if (x_bin != y_bin)
		return x_bin < y_bin;
	if (culprit_width(x) != culprit_width(y))
		return culprit_width(x) < culprit_width(y);
	return x->cost_ns < y->cost_ns;
}

/* Does a unit or host have more of a cause than the others in the mean? Where all have as much, one
 * that something else makes late wins most of it too. Units that are no candidates have nothing. */
static bool has_more(const struct model *m, const struct suspects *all, const struct culprit *x)
{
	const struct scope *scope = &x->scope;
	__int128 others_ns = 0, own = 0;
	for (size_t u = 0; u < m->n_units; u++)
		own += scope->unit == u || (scope->unit == ALL_UNITS && m->units[u].host == scope->host);
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *y = &all->at[i];
		const bool within = scope->unit == y->scope.unit ||
							(scope->unit == ALL_UNITS && y->scope.unit != ALL_UNITS &&
							 m->units[y->scope.unit].host == scope->host);
		others_ns += y->cause == x->cause && culprit_width(y) == 0 && !within ? y->cost_ns : 0;
	}
	return 10 * (__int128)x->cost_ns * ((__int128)m->n_units - own) >=
		   MORE_TENTHS * others_ns * own;
}

/* Does the unit have its host to itself? */
static bool is_alone(const struct model *m, uint32_t unit)
{
	size_t n = 0;
	for (size_t u = 0; u < m->n_units; u++)
		n += m->units[u].host == m->units[unit].host;
	return n == 1;
}

/* Of a lack of cores one unit of a host has nearly all, or it is the host's: who waits longest is a
 * matter of luck, and the others lose time by the same lack. */
static bool has_most(const struct model *m, const struct culprit *x, const struct culprit *wide)
{
	const bool of_host =
		x->cause == CAUSE_NO_CORE && culprit_width(x) == 0 && !is_alone(m, x->scope.unit);
	return 10 * (__int128)x->gain.ns >=
		   (of_host ? HOST_TENTHS : OWN_TENTHS) * (__int128)wide->gain.ns;
}

/* Of a cause everywhere, the one unit or host that most of it is on; NULL: none. */
static const struct culprit *narrower(const struct model *m, const struct suspects *all,
									  const struct culprit *wide)
{
	const struct culprit *best = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (x->cause != cause_of_unit(wide->cause) || culprit_width(x) >= culprit_width(wide) ||
			!has_most(m, x, wide) || !has_more(m, all, x))
			continue;
		if (!best || culprit_width(x) < culprit_width(best) ||
			(culprit_width(x) == culprit_width(best) && x->gain.ns > best->gain.ns))
			best = x;
	}
	return best;
}

/* Of waits of all kinds, the kind that wins most of what all do: with no wait at all hosts run so
 * far ahead that other losses are hidden too. */
static const struct culprit *narrower_site(const struct suspects *all, const struct culprit *best)
{
	const struct culprit *found = NULL;
	for (size_t i = 0; best->cause == CAUSE_SYNC && i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (cause_is_sync(x->cause) && culprit_width(x) == 2 && x->cause != CAUSE_SYNC &&
			10 * (__int128)x->gain.ns >= OWN_TENTHS * (__int128)best->gain.ns &&
			(!found || x->gain.ns > found->gain.ns))
			found = x;
	}
	return found ? found : best;
}

/* A comparison with others that may be noise: what has happened on its own goes before it, where
 * that wins more than the comparison does for sure, and most of what it seems to. */
static const struct culprit *sure(const struct suspects *all, const struct culprit *best)
{
	const struct culprit *found = NULL;
	for (size_t i = 0; cause_compares(best->cause) && i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (cause_compares(x->cause) || choice_is_even(x) || choice_is_structure(x) ||
			x->cause == CAUSE_STEADY_HOST || x->gain.ns <= best->limit_ns ||
			x->gain.ns <= all->least_ns ||
			10 * (__int128)x->gain.ns < OWN_TENTHS * (__int128)best->gain.ns)
			continue;
		if (!found || x->gain.ns > found->gain.ns)
			found = x;
	}
	return found ? found : best;
}

/* One unit or host that wins most of what steady hosts would: it is compared with others, or has a
 * cause of its own. So has what has a label, or holds ops up, and wins as much anywhere: of a stall
 * that the GPU hardly feels any shorter work before it wins the same. */
static const struct culprit *instead_of_steady(const struct suspects *all,
											   const struct culprit *best, int64_t near_ns)
{
	const struct culprit *found = NULL;
	for (size_t i = 0; best->cause == CAUSE_STEADY_HOST && i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		const bool most = culprit_width(x) < 2 &&
						  10 * (__int128)x->limit_ns >= OWN_TENTHS * (__int128)best->gain.ns;
		const bool as_much =
			(cause_label(x->cause) || cause_held(x->cause)) && x->gain.ns >= near_ns;
		if ((most || as_much) && (!found || x->gain.ns > found->gain.ns))
			found = x;
	}
	return found ? found : best;
}

/* Loaders that would keep up if they had cores, calls that take long because their thread waits for a
 * core in them: the lack of cores is the cause, where it wins as much. (Of loaders where their own
 * rows tell how much of it they have, not an estimate.) */
static const struct culprit *for_lack_of_cores(const struct model *m, const struct suspects *all,
											   const struct culprit *best, int64_t near_ns)
{
	const struct culprit *found = NULL;
	const bool asked = (m->loaders_known && best->cause == CAUSE_INPUT) ||
					   best->cause == CAUSE_ALLOC || best->cause == CAUSE_MODULE_LOAD;
	for (size_t i = 0; asked && i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (x->cause == CAUSE_NO_CORE && x->gain.ns >= near_ns &&
			(!found || x->gain.ns > found->gain.ns))
			found = x;
	}
	return found ? found : best;
}

const struct culprit *choice_even_host(const struct suspects *all, const struct culprit *best)
{
	const struct culprit *found = NULL;
	for (size_t i = 0; best->cause == CAUSE_STEADY_HOST && i < all->n; i++)
		if (all->at[i].cause == CAUSE_EVEN_HOST &&
			10 * (__int128)all->at[i].gain.ns >= OWN_TENTHS * (__int128)best->gain.ns)
			found = &all->at[i];
	return found ? found : best;
}

/* Gains from this on count as equal to the largest: within a tenth of it, or half a percent of the
 * step. Their costs decide. */
static int64_t nearly(const struct suspects *all, int64_t most_ns, int64_t step_ns)
{
	const int64_t part_ns = most_ns / NEAR_PART, step_part_ns = step_ns / NEAR_STEP;
	const int64_t near_ns = most_ns - (part_ns > step_part_ns ? part_ns : step_part_ns);
	return near_ns > all->least_ns ? near_ns : all->least_ns + 1;
}

static bool is_own(const struct culprit *x)
{
	return !choice_is_structure(x) && !choice_is_even(x) && x->cause != CAUSE_STEADY_HOST;
}

/* Of the causes that are not how the program is built, the one that wins most of what fewer waits for
 * the GPU do, as these hide it too; NULL: none does. */
static const struct culprit *instead_of_structure(const struct suspects *all, int64_t structure_ns,
												  int64_t step_ns)
{
	const struct culprit *best = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < all->n; i++)
		if (is_own(&all->at[i]) && all->at[i].gain.ns > most_ns)
			most_ns = all->at[i].gain.ns;
	if (10 * (__int128)most_ns < OWN_TENTHS * (__int128)structure_ns)
		return NULL;
	const int64_t near_ns = nearly(all, most_ns, step_ns);
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (is_own(x) && x->gain.ns >= near_ns && (!best || is_less(x, best, step_ns)))
			best = x;
	}
	return best;
}

/* Of the same rank, host or all: the cause with a label that wins most, if that is so much of the best;
 * else the best. */
static const struct culprit *labelled_beside(const struct suspects *all, const struct culprit *best,
											 int percent)
{
	const struct culprit *found = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (x->cause != best->cause && !cause_is_sync(x->cause) && cause_label(x->cause) &&
			memcmp(&x->scope, &best->scope, sizeof(x->scope)) == 0 &&
			100 * (__int128)x->gain.ns >= percent * (__int128)best->gain.ns &&
			x->gain.ns > all->least_ns && (!found || x->gain.ns > found->gain.ns))
			found = x;
	}
	return found ? found : best;
}

/* The waits of one rank hide what else it has (but for waits for the whole device, which no program
 * needs): what wins most of the same goes before them. Before a sleep of which only the place is
 * known goes what has a name and wins the same: the thread sleeps for it. */
static const struct culprit *instead_of_hiding(const struct suspects *all,
											   const struct culprit *best)
{
	if (cause_is_sync(best->cause) && best->cause != CAUSE_SYNC_DEVICE && culprit_width(best) == 0)
		return labelled_beside(all, best, 10 * OWN_TENTHS);
	return best->cause == CAUSE_BLOCKED ? labelled_beside(all, best, SAME_PERCENT) : best;
}

const struct culprit *choice_best(const struct model *m, const struct suspects *all,
								  int64_t step_ns, bool *structure)
{
	const struct culprit *best = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < all->n; i++)
		most_ns = all->at[i].gain.ns > most_ns ? all->at[i].gain.ns : most_ns;
	*structure = false;
	if (most_ns <= all->least_ns)
		return NULL;
	const int64_t near_ns = nearly(all, most_ns, step_ns);
	*structure = true;
	for (size_t i = 0; i < all->n; i++)
		*structure &= all->at[i].gain.ns < near_ns || choice_is_structure(&all->at[i]);
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (x->gain.ns >= near_ns && choice_is_structure(x) == *structure &&
			(!best || is_less(x, best, step_ns)))
			best = x;
	}
	const struct culprit *own = *structure ? instead_of_structure(all, most_ns, step_ns) : NULL;
	*structure &= own == NULL;
	best = own ? own : best;
	best = *structure ? narrower_site(all, best) : instead_of_steady(all, sure(all, best), near_ns);
	best = instead_of_hiding(all, best); /* waits may hide a sleep, */
	best = instead_of_hiding(all, best); /* and a sleep what has a name */
	best = for_lack_of_cores(m, all, best, near_ns);
	const struct culprit *narrow = narrower(m, all, best);
	return narrow ? narrow : best;
}

static bool is_part(const struct culprit *x, const struct culprit *taken, size_t n)
{
	bool part = false;
	for (size_t i = 0; i < n; i++)
		part |= x->cause == taken[i].cause &&
				(culprit_width(x) != culprit_width(&taken[i]) ||
				 memcmp(&x->scope, &taken[i].scope, sizeof(x->scope)) == 0);
	return part;
}

/* One rank with two causes is cured by neither alone, and by fewer waits for the GPU: when causes
 * that are no structure win enough together, the first of them goes before it. */
int choice_own(struct causes *c, struct suspects *all, const int64_t *from_ns, struct culprit *best)
{
	const int64_t structure_ns = best->gain.ns;
	struct culprit taken[OWN_MOST];
	size_t n = 0;
	int64_t step_ns, gain_ns = 0;
	int error = 0;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	suspects_sort(all);
	for (size_t i = 0; !error && i < all->n && n < OWN_MOST; i++) {
		const struct culprit *x = &all->at[i];
		if (10 * (__int128)x->gain.ns < (n ? 0 : FIRST_TENTHS) * (__int128)structure_ns ||
			x->gain.ns <= all->least_ns)
			break;
		if (choice_is_structure(x) || choice_is_even(x) || x->cause == CAUSE_STEADY_HOST ||
			is_part(x, taken, n))
			continue;
		cause_take(c, x->cause, &x->scope, c->weights_ns);
		taken[n++] = *x;
		error = causes_step(c, c->weights_ns, &step_ns);
		gain_ns = c->step_ns - step_ns;
		if (!error && 10 * (__int128)gain_ns >= OWN_TENTHS * (__int128)structure_ns) {
			const struct culprit *narrow = narrower(c->model, all, &taken[0]);
			*best = narrow ? *narrow : taken[0];
			return 0;
		}
	}
	return error;
}
