#include "graph/culprit.h"

#include "graph/choice.h"
#include "graph/costs.h"
#include "graph/joint.h"
#include "graph/several.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_PART = 250, /* of the step: what wins less than 0.4 % is no cause */
	COMPARED_MOST = 8,
	ASKED_AGAIN = 16,
	OWN_TENTHS = 6 /* of the gain of waits: so much of two together goes before them */
};

struct chosen {
	const struct culprit *best; /* NULL: none wins enough */
	bool structure;             /* fewer waits everywhere are all that wins so much */
	const struct culprits *before;
};

struct asking {
	struct causes *c;
	struct suspects *out;
};

static const struct scope everywhere = {ALL_UNITS, ALL_UNITS, 0};

/* The gain of one cause; 0 without a replay where it cannot be large enough. */
static int ask(struct causes *c, const int64_t *from_ns, int64_t least_ns, struct culprit *x)
{
	int64_t step_ns;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	x->cost_ns = causes_per_step(c, cause_take(c, x->cause, &x->scope, c->weights_ns));
	x->gain.ns = x->limit_ns = 0;
	if (x->cost_ns < least_ns)
		return 0;
	int error = causes_step(c, c->weights_ns, &step_ns);
	x->gain.ns = c->step_ns - step_ns;
	/* what a comparison finds may be noise; what a label says has happened */
	x->limit_ns = x->gain.ns - (cause_compares(x->cause) ? gain_below_ns(c) : 0);
	return error;
}

/* Does a device wait so more often than the others do? */
static bool waits_more(const struct model *m, enum cause cause, uint32_t unit)
{
	const uint32_t sites = cause_sites(cause);
	uint64_t own = 0, others = 0;
	for (size_t i = 0; i < m->n_waits; i++) {
		const bool is_site = sites >> m->waits[i].site & 1;
		own += is_site && m->waits[i].unit == unit;
		others += is_site && m->waits[i].unit != unit;
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
		x.cost_ns = causes_per_step(c, most_ns[u]);
		if (x.cost_ns < a->out->least_ns ||
			(cause_is_sync(cause) && !waits_more(c->model, cause, u)))
			continue;
		int error = most_ns[u] < asked_ns ? 0 : ask(c, c->measured_ns, a->out->least_ns, &x);
		error = error ? error : suspects_keep(a->out, &x);
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
		if (hosts_ns[host] < asked_ns || causes_per_step(c, hosts_ns[host]) < a->out->least_ns)
			continue;
		error = ask(c, c->measured_ns, a->out->least_ns, &x);
		error = error ? error : suspects_keep(a->out, &x);
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
	error = suspects_keep(a->out, &x);
	if (error || !units)
		return error;
	int64_t *most_ns = costs_of_units(a->c, cause);
	error = most_ns ? ask_units(a, cause, most_ns) : -ENOMEM;
	if (!error && !cause_is_sync(cause))
		error = ask_hosts(a, cause, most_ns);
	free(most_ns);
	return error;
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
			x->cost_ns = causes_per_step(c, most_ns[x->scope.unit]);
		else
			error = ask(c, c->measured_ns, a->out->least_ns, x);
		x->gain.ns -= x->counted ? 0 : noise_ns;
		if (x->gain.ns < 0) /* else it would stand behind those that are only counted */
			x->gain.ns = 0;
		error = error ? error : suspects_keep(a->out, x);
	}
	return error;
}

/* One device against the others. The one in the middle is asked for what curing any of them wins,
 * which is noise. */
static int ask_compared(struct asking *a, enum cause cause)
{
	struct causes *c = a->c;
	const size_t n = c->model->n_units;
	struct culprit *units = suspects_by_excess(c, cause), usual = {0}, asked;
	int64_t *most_ns = costs_of_units(c, cause);
	int error = units && most_ns ? 0 : -ENOMEM;
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
		error = ask_everywhere(a, CAUSE_SYNC, true);
	error = error ? error : ask_everywhere(a, CAUSE_QUEUE_FULL, false);
	if (!error && a->c->unsteady)
		error = ask_everywhere(a, CAUSE_STEADY_HOST, false);
	if (error || m->n_units < 2)
		return error;
	error = ask_compared(a, CAUSE_HOST);
	error = error ? error : ask_compared(a, CAUSE_KERNELS);
	error = error ? error : ask_everywhere(a, CAUSE_EVEN_KERNELS, false);
	error = error ? error : ask_everywhere(a, CAUSE_EVEN_HOST, false);
	return error ? error : ask_everywhere(a, CAUSE_LINK, false);
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
	const int64_t whole_ns = gain.ns;
	gain_subtract_peers(&gain, &peers);
	gain_subtract_peers(&gain, &others);
	culprit->gain =
		(struct gain){gain.ns - usual_ns, gain.low_ns - usual_ns, gain.high_ns - usual_ns};
	culprit->usual_ns = whole_ns - culprit->gain.ns;
	return 0;
}

/* Asks the best of those that are not taken again. */
static int ask_again(struct causes *c, struct suspects *all, const struct culprits *taken,
					 const int64_t *cured_ns)
{
	size_t kept = 0;
	int error = 0;
	suspects_sort(all);
	for (size_t i = 0; !error && i < all->n && i < ASKED_AGAIN; i++) {
		struct culprit x = all->at[i];
		bool out = false;
		for (uint32_t k = 0; k < taken->n; k++)
			out |= culprit_is_same(&x, &taken->at[k]);
		if (out)
			continue;
		x.alone_ns = x.gain.ns;
		error = x.counted ? 0 : ask(c, cured_ns, all->least_ns, &x);
		all->at[kept++] = x;
	}
	all->n = kept;
	return error;
}

/* Several units that a cause everywhere is made of are cured as one: where two are equally slow
 * neither wins anything alone. */
static int take_several(struct causes *c, const struct several *several, int64_t *cured_ns,
						struct culprits *out)
{
	const struct culprit *first = &several->at[0];
	struct peers peers = {0};
	struct gain gain;
	int64_t step_ns, limit_ns = 0;
	int error = 0;
	if (cause_compares(first->cause))
		error = gain_peers(c, UINT32_C(1) << first->cause, &first->scope, cured_ns, &peers);
	for (size_t i = 0; i < several->n; i++) {
		cause_take(c, first->cause, &several->at[i].scope, cured_ns);
		cause_cured(c, first->cause, &several->at[i].scope);
	}
	error = error ? error : causes_step(c, cured_ns, &step_ns);
	if (!error)
		limit_ns = c->step_ns - step_ns - (cause_compares(first->cause) ? gain_below_ns(c) : 0);
	error = error ? error : gain_take(c, cured_ns, &gain);
	if (error)
		return error;
	gain_subtract_peers(&gain, &peers);
	several_share(several, &gain, limit_ns, &out->at[out->n]);
	out->choices++;
	for (size_t i = 0; i < several->n; i++)
		out->at[out->n++].group = out->choices;
	out->one = false;
	return 0;
}

/* What transfers or copies cost: structure, as nobody knows how fast they should be. */
static int gain_of_structure(struct causes *c, enum cause cause, const int64_t *cured_ns,
							 int64_t *ns)
{
	struct culprit structure = {.cause = cause, .scope = everywhere};
	int error = ask(c, cured_ns, 0, &structure);
	*ns = structure.gain.ns > 0 ? structure.gain.ns : 0;
	return error;
}

/* Does what is hidden go before the best? Before unevenness by itself, before how the program is
 * built with all that hides it. */
static bool goes_first(const struct joint_found *found, const struct culprit *best)
{
	if (found->culprit.cost_ns == 0)
		return false;
	if (choice_is_even(best))
		return found->culprit.gain.ns >= best->gain.ns;
	return 10 * (__int128)found->all_ns >= OWN_TENTHS * (__int128)best->gain.ns;
}

/* What goes before the others; *best has no gain where none does. Where a cause of how the program is
 * built, or unevenness, or none at all is left, what others hid goes before it. */
static int find_next(struct causes *c, struct suspects *all, const struct chosen *chosen,
					 const int64_t *cured_ns, struct culprit *best)
{
	const struct joint_search search = {cured_ns, all->least_ns, chosen->before->at,
										chosen->before->n};
	struct joint_found found;
	int error = 0;
	*best = chosen->best ? *chosen->best : (struct culprit){0};
	if (chosen->structure)
		error = choice_own(c, all, cured_ns, best);
	if (error || (chosen->best && !choice_is_structure(best) && !choice_is_even(best)))
		return error;
	error = joint_find(c, &search, &found);
	if (!error && goes_first(&found, best))
		*best = found.culprit;
	return error;
}

/* Has the last one's unit a culprit before it? Its finding is of both then, and cannot be another
 * unit's too. */
static bool has_earlier(const struct culprits *out)
{
	const struct scope *last = &out->at[out->n - 1].scope;
	bool has = false;
	for (uint32_t i = 0; i + 1 < out->n; i++)
		has |= out->at[i].scope.unit == last->unit && out->at[i].scope.host == last->host;
	return has;
}

/* One more culprit, or several alike. *found: there was one. */
static int take_next(struct causes *c, struct suspects *all, int64_t *cured_ns, bool *found,
					 struct culprits *out)
{
	struct several several = {.n = 0};
	struct chosen chosen = {.before = out};
	struct culprit best;
	chosen.best = choice_best(c->model, all, out->step_ns, &chosen.structure);
	int error = 0;
	if (chosen.best && !chosen.structure)
		error = several_find(c, all, choice_even_host(all, chosen.best), cured_ns, &several);
	*found = several.n > 0;
	if (error || several.n)
		return error ? error : take_several(c, &several, cured_ns, out);
	error = find_next(c, all, &chosen, cured_ns, &best);
	*found = best.gain.ns > 0;
	if (error || !*found)
		return error;
	error = take_off(c, &best, cured_ns);
	if (!out->one || has_earlier(out) || !joint_merge(c, &out->at[out->n - 1], &best)) {
		out->at[out->n++] = best;
		out->choices++;
	}
	out->one = true;
	return error;
}

static int find(struct causes *c, struct suspects *all, struct culprits *out)
{
	int64_t *cured_ns = malloc((causes_weights(c) + 1) * sizeof(*cured_ns));
	if (!cured_ns)
		return -ENOMEM;
	memcpy(cured_ns, c->measured_ns, causes_weights(c) * sizeof(*cured_ns));
	bool found = true;
	out->step_ns = c->step_ns;
	int error = gain_of_structure(c, CAUSE_TRANSFER, c->measured_ns, &out->transfer_alone_ns);
	while (!error && found && out->choices < CULPRITS_MOST) {
		error = take_next(c, all, cured_ns, &found, out);
		error = error || !found ? error : ask_again(c, all, out, cured_ns);
	}
	if (!error)
		error = gain_of_structure(c, CAUSE_TRANSFER, cured_ns, &out->transfer_ns);
	if (!error)
		error = gain_of_structure(c, CAUSE_COPIES, cured_ns, &out->copies_ns);
	c->step_ns = out->step_ns; /* of what was measured, as before */
	free(cured_ns);
	return error ? error : causes_measure(c);
}

/* Are two culprits one finding: of the same unit or host, or of one kind everywhere? */
static bool is_one_finding(const struct culprit *x, const struct culprit *y)
{
	if (memcmp(&x->scope, &y->scope, sizeof(x->scope)) != 0)
		return false;
	return culprit_width(x) < 2 || x->cause == y->cause ||
		   (cause_is_sync(x->cause) && cause_is_sync(y->cause));
}

/* What the finding of culprit `first` wins by itself. Those that stand first were asked so. */
static int find_unaided(struct causes *c, struct culprits *out, uint32_t first)
{
	struct culprit *x = &out->at[first];
	int64_t step_ns, usual_ns = 0;
	uint32_t last = first;
	memcpy(c->weights_ns, c->measured_ns, causes_weights(c) * sizeof(*c->measured_ns));
	for (uint32_t i = first; i < out->n; i++) {
		if (!is_one_finding(x, &out->at[i]))
			continue;
		cause_take(c, out->at[i].cause, &out->at[i].scope, c->weights_ns);
		cause_cured(c, out->at[i].cause, &out->at[i].scope);
		usual_ns += out->at[i].usual_ns;
		last = i;
	}
	memset(c->cured, 0, (c->model->n_units + 1) * sizeof(*c->cured));
	x->unaided_ns = x->gain.ns;
	if (last == 0)
		return 0;
	int error = causes_step(c, c->weights_ns, &step_ns);
	x->unaided_ns = c->step_ns - step_ns - usual_ns;
	return error;
}

/* Of units that are cured as one, and of two that pay only together, it is not asked. */
static int find_all_unaided(struct causes *c, struct culprits *out)
{
	int error = 0;
	for (uint32_t i = 0; !error && i < out->n; i++) {
		bool again = out->at[i].joint.known || out->at[i].group;
		for (uint32_t k = 0; k < i; k++)
			again |= is_one_finding(&out->at[k], &out->at[i]);
		error = again ? 0 : find_unaided(c, out, i);
	}
	return error;
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
	*ns = causes_per_step(c, *ns);
	free(unexplained);
	return error;
}

int culprits_find(struct causes *causes, struct culprits *out)
{
	struct suspects all = {.least_ns = causes->step_ns / LEAST_PART};
	struct asking asking = {.c = causes, .out = &all};
	*out = (struct culprits){0};
	int error = ask_all(&asking);
	if (!error)
		error = find(causes, &all, out);
	free(all.at);
	error = error ? error : find_all_unaided(causes, out);
	error = error ? error : culprits_unexplained(causes, &out->unexplained_ns);
	for (uint32_t i = 0; i < out->n; i++)
		gain_widen(&out->at[i].gain, causes->step_ns, out->unexplained_ns);
	return error;
}
