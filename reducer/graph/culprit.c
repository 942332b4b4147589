#include "graph/culprit.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/costs.h"
#include "graph/joint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_PART = 250, /* of the step: what wins less than 0.4 % is no cause */
	NEAR_PART = 10,   /* of the best gain: causes within a tenth are told apart by their cost */
	NEAR_STEP = 200,  /* of the step */
	COST_BINS = 500,  /* of the step: costs within a bin are equal */
	COMPARED_MOST = 8,
	ASKED_AGAIN = 16,
	STEPS_FOR_LIMIT = 6,
	/* of the gain: so much by a cause of its own goes before a structural one, so much on one unit
	 * before everywhere */
	OWN_TENTHS = 6,
	FIRST_TENTHS = 2, /* of the gain: so much has the first of several that go before it together */
	TOGETHER_MOST = 6,
	MORE_TENTHS = 15 /* of the others' mean cost: a unit or host has more than they have */
};

struct candidates {
	struct culprit *at;
	size_t n, room;
	int64_t step_ns, least_ns; /* as measured, and the least gain */
};

struct asking {
	struct causes *c;
	struct candidates *out;
};

static const struct scope everywhere = {ALL_UNITS, ALL_UNITS, 0};

static int64_t per_step(const struct causes *c, int64_t ns)
{
	return ns / (int64_t)(c->model->n_steps > 1 ? c->model->n_steps - 1 : 1);
}

static bool is_sync(enum cause cause)
{
	return cause >= CAUSE_SYNC_DEVICE && cause <= CAUSE_SYNC;
}

/* 0: of one device, 1: of a host, 2: of all. */
static int width(const struct culprit *x)
{
	return x->scope.unit != ALL_UNITS ? 0 : x->scope.host != ALL_UNITS ? 1 : 2;
}

static bool is_structure(const struct culprit *x)
{
	return is_sync(x->cause) && width(x) == 2;
}

static bool is_even(const struct culprit *x)
{
	return x->cause == CAUSE_EVEN_KERNELS || x->cause == CAUSE_EVEN_HOST;
}

/* How far a mean of steps may be below its value: two standard errors of what they gain. */
static int64_t below_ns(const struct causes *c)
{
	const uint32_t n = c->model->n_steps - 1;
	double sum = 0, squares = 0;
	for (uint32_t i = 1; i <= n; i++) {
		const double gain = (double)((c->before_ns[i] - c->before_ns[i - 1]) -
									 (c->steps_ns[i] - c->steps_ns[i - 1]));
		sum += gain;
		squares += gain * gain;
	}
	if (n < STEPS_FOR_LIMIT)
		return 0; /* too few to tell a loss of every third step from noise */
	const double variance = (squares - sum * sum / n) / (n > 1 ? n - 1 : 1);
	return variance > 0 ? (int64_t)(2 * sqrt(variance / n)) : 0;
}

/* The gain of one cause; 0 without a replay where it cannot be large enough. */
static int ask(struct causes *c, const int64_t *from_ns, int64_t least_ns, struct culprit *x)
{
	int64_t step_ns;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	x->cost_ns = per_step(c, cause_take(c, x->cause, &x->scope, c->weights_ns));
	x->gain.ns = x->limit_ns = 0;
	if (x->cost_ns < least_ns)
		return 0;
	int error = causes_step(c, c->weights_ns, &step_ns);
	x->gain.ns = c->step_ns - step_ns;
	/* what a comparison finds may be noise; what a label says has happened */
	x->limit_ns = x->gain.ns - (cause_compares(x->cause) ? below_ns(c) : 0);
	return error;
}

static int keep(struct candidates *out, const struct culprit *x)
{
	if (x->cost_ns < out->least_ns)
		return 0; /* else another cause may hide it */
	if (room_for((void **)&out->at, out->n, &out->room, 64, sizeof(*out->at)) != 0)
		return -ENOMEM;
	out->at[out->n++] = *x;
	return 0;
}

/* Does a device wait so more often than the others do? */
static bool waits_more(const struct model *m, enum cause cause, uint32_t unit)
{
	const uint8_t site = cause == CAUSE_SYNC_DEVICE ? WAIT_DEVICE
						 : cause == CAUSE_SYNC_MID  ? WAIT_MID
													: WAIT_END;
	uint64_t own = 0, others = 0;
	for (size_t i = 0; i < m->n_waits; i++) {
		own += m->waits[i].site == site && m->waits[i].unit == unit;
		others += m->waits[i].site == site && m->waits[i].unit != unit;
	}
	return m->n_units > 1 && 10 * own * (m->n_units - 1) > 12 * others;
}

/* Of many units those with most of the cause are asked, the others only counted. */
static int ask_units(struct asking *a, enum cause cause, const int64_t *most_ns)
{
	struct causes *c = a->c;
	const int64_t asked_ns = costs_asked(most_ns, c->model->n_units);
	for (uint32_t u = 0; c->model->n_units > 1 && u < c->model->n_units; u++) {
		struct culprit x = {.cause = cause, .scope = {u, ALL_UNITS, 0}};
		x.cost_ns = per_step(c, most_ns[u]);
		if (x.cost_ns < a->out->least_ns || (is_sync(cause) && !waits_more(c->model, cause, u)))
			continue;
		int error = most_ns[u] < asked_ns ? 0 : ask(c, c->measured_ns, a->out->least_ns, &x);
		error = error ? error : keep(a->out, &x);
		if (error)
			return error;
	}
	return 0;
}

static int ask_hosts(struct asking *a, enum cause cause, const int64_t *most_ns)
{
	struct causes *c = a->c;
	int64_t *hosts_ns = costs_of_hosts(c->model, most_ns);
	int error = hosts_ns ? 0 : -ENOMEM;
	const int64_t asked_ns = error ? 0 : costs_asked(hosts_ns, c->model->n_hosts);
	for (uint32_t host = 0; !error && c->model->n_hosts > 1 && host < c->model->n_hosts; host++) {
		struct culprit x = {.cause = cause, .scope = {ALL_UNITS, host, 0}};
		if (hosts_ns[host] < asked_ns || per_step(c, hosts_ns[host]) < a->out->least_ns)
			continue;
		error = ask(c, c->measured_ns, a->out->least_ns, &x);
		error = error ? error : keep(a->out, &x);
	}
	free(hosts_ns);
	return error;
}

/* Of everywhere first: what wins nothing there wins nothing on one device. */
static int ask_everywhere(struct asking *a, enum cause cause, bool units)
{
	struct culprit x = {.cause = cause, .scope = everywhere};
	if (!costs_something(a->c->model, cause))
		return 0;
	int error = ask(a->c, a->c->measured_ns, a->out->least_ns, &x);
	if (error || x.gain.ns <= a->out->least_ns)
		return error;
	error = keep(a->out, &x);
	if (error || !units)
		return error;
	int64_t *most_ns = costs_of_units(a->c, cause);
	error = most_ns ? ask_units(a, cause, most_ns) : -ENOMEM;
	if (!error && !is_sync(cause))
		error = ask_hosts(a, cause, most_ns);
	free(most_ns);
	return error;
}

static int by_cost_down(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	return x->cost_ns > y->cost_ns ? -1 : x->cost_ns < y->cost_ns;
}

/* Those with most of `units`, which are in order. One whose excess is hardly more than the usual one's
 * wins no more than noise: it only counts by how much it has (*most_ns, by unit). */
static int ask_longest(struct asking *a, struct culprit *units, const struct culprit *usual,
					   const int64_t *most_ns)
{
	struct causes *c = a->c;
	const bool stages = usual->cause == CAUSE_KERNELS && c->model->meetings > 0;
	const int64_t usual_ns = usual->cost_ns > 0 && !stages ? usual->cost_ns : 0;
	const int64_t noise_ns = usual->gain.ns > 0 ? usual->gain.ns : 0;
	int error = 0;
	for (size_t i = 0; !error && i < c->model->n_units && i < COMPARED_MOST; i++) {
		struct culprit *x = &units[i];
		if (x->cost_ns < a->out->least_ns)
			break;
		x->counted = i > 0 && x->cost_ns < a->out->least_ns + usual_ns;
		if (x->counted)
			x->cost_ns = per_step(c, most_ns[x->scope.unit]);
		else
			error = ask(c, c->measured_ns, a->out->least_ns, x);
		x->gain.ns -= x->counted ? 0 : noise_ns;
		error = error ? error : keep(a->out, x);
	}
	return error;
}

/* One device against the others. The one in the middle is asked for what curing any of them wins,
 * which is noise. */
static int ask_compared(struct asking *a, enum cause cause)
{
	struct causes *c = a->c;
	const size_t n = c->model->n_units;
	struct culprit *units = malloc((n + 1) * sizeof(*units)), usual = {0}, asked;
	int64_t *most_ns = costs_of_units(c, cause);
	int error = units && most_ns ? 0 : -ENOMEM;
	for (uint32_t u = 0; !error && u < n; u++)
		units[u] = (struct culprit){.cause = cause,
									.scope = {u, ALL_UNITS, 0},
									.cost_ns = per_step(c, cause_excess(c, cause, u))};
	if (!error)
		sort_rows(units, n, sizeof(*units), by_cost_down);
	if (!error && n > 2) {
		usual = asked = units[n / 2];
		error = ask(c, c->measured_ns, a->out->least_ns, &asked);
		usual.gain = asked.gain;
	}
	error = error ? error : ask_longest(a, units, &usual, most_ns);
	/* the stages on a host differ from the others whoever is slow */
	if (!error && c->model->meetings == 0)
		error = ask_hosts(a, cause, most_ns);
	free(units);
	free(most_ns);
	return error;
}

static int sites_of_waits(const struct model *m)
{
	return costs_something(m, CAUSE_SYNC_DEVICE) + costs_something(m, CAUSE_SYNC_MID) +
		   costs_something(m, CAUSE_SYNC_END);
}

static int ask_all(struct asking *a)
{
	static const enum cause with_units[] = {
		CAUSE_INPUT,    CAUSE_NO_CORE,  CAUSE_BLOCKED,    CAUSE_ALLOC,      CAUSE_MODULE_LOAD,
		CAUSE_PROFILER, CAUSE_CODE,     CAUSE_HOST_FUNC,  CAUSE_DEPENDENCY, CAUSE_SHARED,
		CAUSE_SYNC_MID, CAUSE_SYNC_END, CAUSE_SYNC_DEVICE};
	const struct model *m = a->c->model;
	int error = 0;
	for (size_t i = 0; !error && i < sizeof(with_units) / sizeof(with_units[0]); i++)
		error = ask_everywhere(a, with_units[i], true);
	if (!error && sites_of_waits(m) > 1) /* else it is one of the last three */
		error = ask_everywhere(a, CAUSE_SYNC, false);
	error = error ? error : ask_everywhere(a, CAUSE_QUEUE_FULL, false);
	if (error || m->n_units < 2)
		return error;
	error = ask_compared(a, CAUSE_HOST);
	error = error ? error : ask_compared(a, CAUSE_KERNELS);
	error = error ? error : ask_everywhere(a, CAUSE_EVEN_KERNELS, false);
	error = error ? error : ask_everywhere(a, CAUSE_EVEN_HOST, false);
	return error ? error : ask_everywhere(a, CAUSE_LINK, false);
}

/* ---- the choice ---- */

/* Of equal gains the one that changes less, then the narrower one. */
static bool is_less(const struct culprit *x, const struct culprit *y, int64_t step_ns)
{
	const int64_t bin_ns = step_ns / COST_BINS > 0 ? step_ns / COST_BINS : 1;
	const int64_t x_bin = (x->cost_ns + bin_ns / 2) / bin_ns;
	const int64_t y_bin = (y->cost_ns + bin_ns / 2) / bin_ns;
	if (x_bin != y_bin)
		return x_bin < y_bin;
	if (width(x) != width(y))
		return width(x) < width(y);
	return x->cost_ns < y->cost_ns;
}

/* Does a unit or host have more of a cause than the others in the mean? Where all have as much, one
 * that something else makes late wins most of it too. Units that are no candidates have nothing. */
static bool has_more(const struct model *m, const struct candidates *all, const struct culprit *x)
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
		others_ns += y->cause == x->cause && width(y) == 0 && !within ? y->cost_ns : 0;
	}
	return 10 * (__int128)x->cost_ns * ((__int128)m->n_units - own) >=
		   MORE_TENTHS * others_ns * own;
}

/* The cause of a unit that a cause of all is made of. */
static enum cause part_of(enum cause wide)
{
	return wide == CAUSE_EVEN_HOST ? CAUSE_HOST : wide == CAUSE_EVEN_KERNELS ? CAUSE_KERNELS : wide;
}

/* Of a cause everywhere, the one unit or host that most of it is on; NULL: none. */
static const struct culprit *narrower(const struct model *m, const struct candidates *all,
									  const struct culprit *wide)
{
	const struct culprit *best = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (x->cause != part_of(wide->cause) || width(x) >= width(wide) ||
			10 * x->gain.ns < OWN_TENTHS * wide->gain.ns || !has_more(m, all, x))
			continue;
		if (!best || width(x) < width(best) ||
			(width(x) == width(best) && x->gain.ns > best->gain.ns))
			best = x;
	}
	return best;
}

/* *structure: fewer waits everywhere are all that wins so much. */
static const struct culprit *choose(const struct model *m, const struct candidates *all,
									bool *structure)
{
	const int64_t step_ns = all->step_ns;
	const struct culprit *best = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < all->n; i++)
		most_ns = all->at[i].gain.ns > most_ns ? all->at[i].gain.ns : most_ns;
	*structure = false;
	if (most_ns <= all->least_ns)
		return NULL;
	const int64_t part_ns = most_ns / NEAR_PART, step_part_ns = step_ns / NEAR_STEP;
	int64_t near_ns = most_ns - (part_ns > step_part_ns ? part_ns : step_part_ns);
	near_ns = near_ns > all->least_ns ? near_ns : all->least_ns + 1;
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].gain.ns >= near_ns && (!best || is_less(&all->at[i], best, step_ns)))
			best = &all->at[i];
	*structure = best != NULL;
	for (size_t i = 0; i < all->n; i++)
		*structure &= all->at[i].gain.ns < near_ns || is_structure(&all->at[i]);
	const struct culprit *own = NULL;
	for (size_t i = 0; *structure && i < all->n; i++) {
		const struct culprit *x = &all->at[i];
		if (is_structure(x) || is_even(x) || 10 * x->gain.ns < OWN_TENTHS * most_ns)
			continue;
		if (!own || is_less(x, own, step_ns))
			own = x;
	}
	*structure &= own == NULL;
	best = own ? own : best;
	const struct culprit *narrow = narrower(m, all, best);
	return narrow ? narrow : best;
}

static int by_gain_down(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	if (x->gain.ns != y->gain.ns)
		return x->gain.ns > y->gain.ns ? -1 : 1;
	return x->cost_ns > y->cost_ns ? -1 : x->cost_ns < y->cost_ns;
}

static bool is_part(const struct culprit *x, const struct culprit *taken, size_t n)
{
	bool part = false;
	for (size_t i = 0; i < n; i++)
		part |= x->cause == taken[i].cause &&
				(width(x) != width(&taken[i]) ||
				 memcmp(&x->scope, &taken[i].scope, sizeof(x->scope)) == 0);
	return part;
}

/* One rank with two causes is cured by neither alone, and by fewer waits for the GPU: when causes
 * that are no structure win enough together, the first of them goes before it. */
static int prefer_own(struct causes *c, struct candidates *all, const int64_t *from_ns,
					  struct culprit *best)
{
	const int64_t structure_ns = best->gain.ns;
	struct culprit taken[TOGETHER_MOST];
	size_t n = 0;
	int64_t step_ns, gain_ns = 0;
	int error = 0;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	sort_rows(all->at, all->n, sizeof(*all->at), by_gain_down);
	for (size_t i = 0; !error && i < all->n && n < TOGETHER_MOST; i++) {
		const struct culprit *x = &all->at[i];
		if (10 * (__int128)x->gain.ns < (n ? 0 : FIRST_TENTHS) * (__int128)structure_ns ||
			x->gain.ns <= all->least_ns)
			break;
		if (is_structure(x) || is_even(x) || is_part(x, taken, n))
			continue;
		cause_take(c, x->cause, &x->scope, c->weights_ns);
		taken[n++] = *x;
		error = causes_step(c, c->weights_ns, &step_ns);
		gain_ns = c->step_ns - step_ns;
		if (!error && 10 * gain_ns >= OWN_TENTHS * structure_ns) {
			const struct culprit *narrow = narrower(c->model, all, &taken[0]);
			*best = narrow ? *narrow : taken[0];
			return 0;
		}
	}
	return error;
}

/* Takes a cause off; *peers: what the same cure wins on others, where they are what it rests on. */
static int take_cause(struct causes *c, enum cause cause, const struct scope *scope,
					  int64_t *cured_ns, struct peers *peers)
{
	int error = 0;
	if (cause_compares(cause))
		error = gain_peers(c, UINT32_C(1) << cause, scope, cured_ns, peers);
	cause_take(c, cause, scope, cured_ns);
	cause_cured(c, cause, scope);
	return error;
}

/* Cures a culprit, from weights that lack those before it. */
static int take_off(struct causes *c, struct culprit *culprit, int64_t *cured_ns)
{
	struct gain gain;
	struct peers peers = {0}, others = {0};
	int error = take_cause(c, culprit->cause, &culprit->scope, cured_ns, &peers);
	if (!error && culprit->joint.known)
		error = take_cause(c, culprit->joint.cause, &culprit->joint.scope, cured_ns, &others);
	error = error ? error : gain_take(c, cured_ns, &gain);
	if (error)
		return error;
	const int64_t usual_ns = peers.known || others.known ? 0 : gain.ns - culprit->gain.ns;
	gain_subtract_peers(&gain, &peers);
	gain_subtract_peers(&gain, &others);
	culprit->gain =
		(struct gain){gain.ns - usual_ns, gain.low_ns - usual_ns, gain.high_ns - usual_ns};
	return 0;
}

/* Cures a culprit and asks the best of the others again. */
static int cure(struct causes *c, struct candidates *all, struct culprit *culprit,
				int64_t *cured_ns)
{
	size_t kept = 0;
	int error = take_off(c, culprit, cured_ns);
	const struct culprit taken = *culprit;
	sort_rows(all->at, all->n, sizeof(*all->at), by_gain_down);
	for (size_t i = 0; !error && i < all->n && i < ASKED_AGAIN; i++) {
		struct culprit x = all->at[i];
		if (x.cause == taken.cause && x.scope.unit == taken.scope.unit &&
			x.scope.host == taken.scope.host)
			continue;
		x.alone_ns = x.gain.ns;
		error = x.counted ? 0 : ask(c, cured_ns, all->least_ns, &x);
		all->at[kept++] = x;
	}
	all->n = kept;
	return error;
}

/* What transfers cost: structure, as nobody knows how fast they should be. */
static int gain_of_transfer(struct causes *c, const int64_t *cured_ns, int64_t *ns)
{
	struct culprit transfer = {.cause = CAUSE_TRANSFER, .scope = everywhere};
	int error = ask(c, cured_ns, 0, &transfer);
	*ns = transfer.gain.ns > 0 ? transfer.gain.ns : 0;
	return error;
}

/* What goes before the others; *best has no gain where none does. Where a cause of how the program is
 * built, or unevenness, or none at all is left, two that hide each other go before it. */
static int find_next(struct causes *c, struct candidates *all, const int64_t *cured_ns,
					 struct culprit *best)
{
	bool structure;
	struct culprit pair;
	const struct culprit *chosen = choose(c->model, all, &structure);
	int error = 0;
	*best = chosen ? *chosen : (struct culprit){0};
	if (structure)
		error = prefer_own(c, all, cured_ns, best);
	if (error || (chosen && !is_structure(best) && !is_even(best)))
		return error;
	error = joint_find(c, cured_ns, all->least_ns, &pair);
	if (!error && pair.cost_ns > 0 &&
		10 * pair.gain.ns >= (is_even(best) ? 10 : OWN_TENTHS) * best->gain.ns)
		*best = pair;
	return error;
}

static int find(struct causes *c, struct candidates *all, struct culprits *out)
{
	int64_t *cured_ns = malloc((causes_weights(c) + 1) * sizeof(*cured_ns));
	if (!cured_ns)
		return -ENOMEM;
	memcpy(cured_ns, c->measured_ns, causes_weights(c) * sizeof(*cured_ns));
	int error = 0;
	while (!error && out->n < CULPRITS_MOST) {
		struct culprit best;
		error = find_next(c, all, cured_ns, &best);
		if (error || best.gain.ns <= 0)
			break;
		error = cure(c, all, &best, cured_ns);
		if (out->n == 0 || !joint_merge(c, &out->at[out->n - 1], &best))
			out->at[out->n++] = best;
	}
	if (!error)
		error = gain_of_transfer(c, cured_ns, &out->transfer_ns);
	c->step_ns = all->step_ns;
	free(cured_ns);
	return error ? error : causes_measure(c);
}

int culprits_unexplained(struct causes *c, int64_t *ns)
{
	const struct model *m = c->model;
	uint8_t *unexplained = calloc(m->graph.n_edges + 1, 1);
	uint32_t node = 0;
	int64_t last_ns = INT64_MIN, step_ns, from_ns;
	*ns = 0;
	if (!unexplained)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_unexplained_edges; i++)
		unexplained[m->unexplained_edges[i]] = 1;
	int error = causes_step(c, c->measured_ns, &step_ns);
	from_ns = c->steps_ns[0];
	for (size_t i = 0; i < m->n_ends; i++)
		if (c->at_ns[m->ends[i].node] > last_ns) {
			node = m->ends[i].node;
			last_ns = c->at_ns[node];
		}
	while (!error && m->n_ends && c->at_ns[node] > from_ns) {
		const uint32_t edge = graph_binding(&m->graph, c->measured_ns, c->at_ns, node);
		if (edge == EDGE_NONE)
			break;
		*ns += unexplained[edge] ? m->graph.edges[edge].ns : 0;
		node = m->graph.edges[edge].from;
	}
	*ns = per_step(c, *ns);
	free(unexplained);
	return error;
}

int culprits_find(struct causes *causes, struct culprits *out)
{
	struct candidates all = {.step_ns = causes->step_ns, .least_ns = causes->step_ns / LEAST_PART};
	struct asking asking = {.c = causes, .out = &all};
	*out = (struct culprits){0};
	int error = ask_all(&asking);
	if (!error)
		error = find(causes, &all, out);
	free(all.at);
	error = error ? error : culprits_unexplained(causes, &out->unexplained_ns);
	for (uint32_t i = 0; i < out->n; i++)
		gain_widen(&out->at[i].gain, causes->step_ns, out->unexplained_ns);
	return error;
}
