#include "graph/causes.h"

#include "base/sort.h"
#include "classify/classes.h"

#include <baton/format.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FACTOR_LEAST = 10, /* kernels from which a stage's factor is taken */
	UNSTEADY_LEAST = 8 /* stretches of a step */
};

/* ---- what it needs ---- */

struct like { /* a meeting among those of its class */
	uint64_t class;
	int64_t ns;
	uint32_t index;
};

static int by_class(const void *a, const void *b)
{
	const struct like *x = a, *y = b;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int find_typical(struct causes *c)
{
	const struct model *m = c->model;
	struct like *likes = malloc((m->n_transfers + 1) * sizeof(*likes));
	c->typical_ns = malloc((m->n_transfers + 1) * sizeof(*c->typical_ns));
	if (!likes || !c->typical_ns) {
		free(likes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < m->n_transfers; i++)
		likes[i] = (struct like){m->transfers[i].class, m->transfers[i].ns, (uint32_t)i};
	sort_rows(likes, m->n_transfers, sizeof(*likes), by_class);
	for (size_t i = 0, end; i < m->n_transfers; i = end) {
		for (end = i; end < m->n_transfers && likes[end].class == likes[i].class; end++)
			;
		for (size_t k = i; k < end; k++)
			c->typical_ns[likes[k].index] = likes[i].class ? likes[i + (end - i) / 2].ns : -1;
	}
	free(likes);
	return 0;
}

int64_t cause_like_ns(const struct causes *c, bool kernels, const struct compared *row)
{
	const bool alone = kernels || c->model->n_units < 2;
	return row->others_ns >= 0 ? row->others_ns : alone ? row->ns : 0;
}

static void find_excess(const struct causes *c, bool kernels, int64_t *excess_ns)
{
	const struct compared *rows = kernels ? c->kernels : c->host;
	const size_t n = kernels ? c->n_kernels : c->n_host;
	for (size_t i = 0; i < n; i++)
		if (rows[i].unit != UNIT_NONE)
			excess_ns[rows[i].unit] += rows[i].ns - cause_like_ns(c, kernels, &rows[i]);
}

struct longer { /* of a unit, what takes longer than mostly */
	double sum, squares;
};

/* Are most units unsteady, and not a few much more than the others? Counted is how many stretches a
 * step has, if those that take longer than mostly were equally long: the sum's square by the sum of
 * the squares. Where these are few it is a stall. */
static bool are_unsteady(const struct model *m, const struct longer *longer)
{
	double all = 0;
	size_t n = 0;
	for (size_t u = 0; u < m->n_units; u++)
		all += longer[u].sum;
	for (size_t u = 0; u < m->n_units; u++)
		n += longer[u].sum * longer[u].sum > UNSTEADY_LEAST * m->n_steps * longer[u].squares &&
			 2 * (double)m->n_units * longer[u].sum >= all;
	return 2 * n > m->n_units;
}

static int find_usual(struct causes *c)
{
	struct longer *longer = calloc(c->model->n_units + 1, sizeof(*longer));
	int error = longer ? compare_steps(c->model->host, c->host, c->n_host, &c->usual_ns) : -ENOMEM;
	for (size_t i = 0; !error && i < c->n_host; i++) {
		const double more = (double)(c->host[i].ns - c->usual_ns[i]);
		if (c->usual_ns[i] < 0 || c->host[i].unit == UNIT_NONE || more <= 0)
			continue;
		longer[c->host[i].unit].sum += more;
		longer[c->host[i].unit].squares += more * more;
	}
	c->unsteady = !error && are_unsteady(c->model, longer);
	free(longer);
	return error;
}

static int find_all_excess(struct causes *c)
{
	const size_t n = c->model->n_units + 1;
	c->host_excess_ns = calloc(n, sizeof(*c->host_excess_ns));
	c->kernels_excess_ns = calloc(n, sizeof(*c->kernels_excess_ns));
	c->host_of = compared_by_unit(c->host, c->n_host, n);
	c->kernels_of = compared_by_unit(c->kernels, c->n_kernels, n);
	if (!c->host_excess_ns || !c->kernels_excess_ns || !c->host_of || !c->kernels_of)
		return -ENOMEM;
	find_excess(c, false, c->host_excess_ns);
	find_excess(c, true, c->kernels_excess_ns);
	return 0;
}

int causes_open(struct causes *c, const struct model *model)
{
	const size_t n = model->graph.n_edges + model->n_host + 1;
	*c = (struct causes){.model = model, .n_host = model->n_host, .n_kernels = model->n_kernels};
	c->measured_ns = malloc(n * sizeof(*c->measured_ns));
	c->weights_ns = malloc(n * sizeof(*c->weights_ns));
	c->at_ns = malloc((model->graph.n_nodes + 1) * sizeof(*c->at_ns));
	c->steps_ns = malloc((model->n_steps + 1) * sizeof(*c->steps_ns));
	c->before_ns = malloc((model->n_steps + 1) * sizeof(*c->before_ns));
	c->cured = calloc(model->n_units + 1, sizeof(*c->cured));
	if (!c->measured_ns || !c->weights_ns || !c->at_ns || !c->steps_ns || !c->before_ns ||
		!c->cured)
		return -ENOMEM;
	for (size_t i = 0; i < model->graph.n_edges; i++)
		c->measured_ns[i] = model->graph.edges[i].ns;
	for (size_t i = 0; i < model->n_host; i++)
		c->measured_ns[model->graph.n_edges + i] = model->host[i].ns;
	int error = find_typical(c);
	error = error ? error : compare_positions(model->host, model->n_host, model->units, &c->host);
	error = error ? error
				  : compare_positions(model->kernels, model->n_kernels, model->units, &c->kernels);
	error = error ? error : find_all_excess(c);
	error = error ? error : find_usual(c);
	return error ? error : causes_measure(c);
}

int causes_measure(struct causes *c)
{
	int error = causes_step(c, c->measured_ns, &c->step_ns);
	memcpy(c->before_ns, c->steps_ns, c->model->n_steps * sizeof(*c->before_ns));
	memset(c->cured, 0, (c->model->n_units + 1) * sizeof(*c->cured));
	return error;
}

void causes_close(struct causes *c)
{
	free(c->host);
	free(c->kernels);
	free(c->usual_ns);
	free(c->host_of);
	free(c->kernels_of);
	free(c->measured_ns);
	free(c->typical_ns);
	free(c->weights_ns);
	free(c->at_ns);
	free(c->steps_ns);
	free(c->before_ns);
	free(c->cured);
	free(c->host_excess_ns);
	free(c->kernels_excess_ns);
	memset(c, 0, sizeof(*c));
}

int causes_step(struct causes *c, const int64_t *weights_ns, int64_t *step_ns)
{
	const uint32_t n = c->model->n_steps;
	graph_replay(&c->model->graph, weights_ns, c->at_ns);
	c->replays++;
	int error = model_ends(c->model, c->at_ns, c->steps_ns);
	*step_ns = n > 1 ? (c->steps_ns[n - 1] - c->steps_ns[0]) / (int64_t)(n - 1) : 0;
	return error;
}

/* ---- taking one off ---- */

static bool has(const struct causes *c, const struct scope *scope, uint16_t unit)
{
	if (c->cured[unit == UNIT_NONE ? c->model->n_units : unit] & scope->cause_bit)
		return false;
	if (scope->unit != ALL_UNITS)
		return unit == scope->unit;
	return scope->host == ALL_UNITS ||
		   (unit != UNIT_NONE && c->model->units[unit].host == scope->host);
}

/* Takes `ns` off an edge; an edge that is out stays out. */
static int64_t take_off(int64_t *weight_ns, int64_t ns)
{
	if (*weight_ns <= EDGE_OFF)
		return 0;
	const int64_t least_ns = *weight_ns < 0 ? *weight_ns : 0;
	const int64_t left_ns = *weight_ns - ns, kept_ns = left_ns > least_ns ? left_ns : least_ns;
	const int64_t changed_ns = *weight_ns - kept_ns;
	*weight_ns = kept_ns;
	return changed_ns < 0 ? -changed_ns : changed_ns;
}

static int64_t own_left(const struct causes *c, size_t host, const int64_t *weights_ns)
{
	return weights_ns[c->model->graph.n_edges + host];
}

/* Takes `ns` off the program's own time, where so much is left of it. */
static int64_t take_own_ns(const struct causes *c, size_t host, int64_t ns, int64_t *weights_ns)
{
	int64_t *left_ns = &weights_ns[c->model->graph.n_edges + host];
	const int64_t before_ns = *left_ns;
	take_off(left_ns, ns);
	return take_off(&weights_ns[c->model->host[host].edge], before_ns - *left_ns);
}

/* Makes the work of a row take `like_ns`; what is off already is not put back. */
static int64_t take_row(const struct causes *c, bool kernels, const struct compared *row,
						int64_t like_ns, int64_t *weights_ns)
{
	const int64_t now_ns = kernels ? weights_ns[row->edge] : own_left(c, row->position, weights_ns);
	const int64_t ns = now_ns < row->ns && like_ns > now_ns ? 0 : now_ns - like_ns;
	return kernels ? take_off(&weights_ns[row->edge], ns)
				   : take_own_ns(c, row->position, ns, weights_ns);
}

/* Time that two causes have is taken off once. */
static bool is_off(const struct causes *c, const struct amount *amount)
{
	const uint16_t unit = c->model->graph.edges[amount->edge].unit;
	const uint32_t cured = c->cured[unit == UNIT_NONE ? c->model->n_units : unit];
	enum cause pair[2];
	return cause_pair(amount->label, pair) &&
		   cured & (UINT32_C(1) << pair[0] | UINT32_C(1) << pair[1]);
}

static int64_t take_labels(const struct causes *c, enum cause cause, const struct scope *scope,
						   int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_amounts; i++) {
		const struct amount *amount = &m->amounts[i];
		if (cause_has_label(cause, amount->label) && !is_off(c, amount) &&
			has(c, scope, m->graph.edges[amount->edge].unit))
			taken_ns += take_off(&weights_ns[amount->edge], amount->ns);
	}
	return taken_ns;
}

/* The calls no longer wait for the GPU; waiting for a core stays what it was. */
static int64_t take_waits(const struct causes *c, uint32_t sites, const struct scope *scope,
						  int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_waits; i++) {
		const struct wait *wait = &m->waits[i];
		if (!(sites >> wait->site & 1) || !has(c, scope, wait->unit))
			continue;
		for (uint32_t k = 0; k < wait->n_edges; k++)
			weights_ns[m->wait_edges[wait->first_edge + k]] = EDGE_OFF;
		if (wait->chain != EDGE_NONE && weights_ns[wait->chain] > wait->no_core_ns)
			weights_ns[wait->chain] = wait->no_core_ns;
		taken_ns += wait->ns;
	}
	return taken_ns;
}

enum cause cause_of_own(const struct model *m, size_t host)
{
	const uint8_t kind = m->graph.edges[m->host[host].edge].kind;
	if (kind == EDGE_CALL)
		return CAUSE_API;
	if (kind != EDGE_OUTSIDE)
		return CAUSES;
	return m->host[host].ns >= CAUSE_CODE_NS ? CAUSE_CODE : CAUSE_FRAMEWORK;
}

/* The program's own time outside of calls, in stretches that are long enough to be a loss or not,
 * or in calls. */
static int64_t take_own(const struct causes *c, enum cause cause, const struct scope *scope,
						int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_host; i++) {
		const struct edge *edge = &m->graph.edges[m->host[i].edge];
		if (cause_of_own(m, i) == cause && has(c, scope, edge->unit))
			taken_ns += take_own_ns(c, i, own_left(c, i, weights_ns), weights_ns);
	}
	return taken_ns;
}

/* Every position like the median of the others; host time that nobody else has goes. */
static int64_t take_excess(const struct causes *c, bool kernels, const struct scope *scope,
						   int64_t *weights_ns)
{
	const struct compared *rows = kernels ? c->kernels : c->host;
	struct unit_rows in = {0, kernels ? c->n_kernels : c->n_host};
	if (scope->unit != ALL_UNITS)
		in = kernels ? c->kernels_of[scope->unit] : c->host_of[scope->unit];
	int64_t taken_ns = 0;
	for (size_t i = in.from; i < in.to; i++) {
		const struct compared *row = &rows[i];
		if (!has(c, scope, row->unit))
			continue;
		taken_ns += take_row(c, kernels, row, cause_like_ns(c, kernels, row), weights_ns);
	}
	return taken_ns;
}

/* Every position like the mean; stages of a pipeline differ by design, so those of one only. */
static int64_t take_unevenness(const struct causes *c, bool kernels, const struct scope *scope,
							   int64_t *weights_ns)
{
	const struct compared *rows = kernels ? c->kernels : c->host;
	const size_t n = kernels ? c->n_kernels : c->n_host;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < n; i++)
		if (has(c, scope, rows[i].unit) && (rows[i].alike || c->model->meetings == 0))
			taken_ns += take_row(c, kernels, &rows[i], rows[i].mean_ns, weights_ns);
	return taken_ns;
}

/* Every stretch of the program's own as long as it usually is at that place of a step. */
static int64_t take_unsteadiness(const struct causes *c, const struct scope *scope,
								 int64_t *weights_ns)
{
	int64_t taken_ns = 0;
	for (size_t i = 0; i < c->n_host; i++)
		if (c->usual_ns[i] >= 0 && has(c, scope, c->host[i].unit))
			taken_ns += take_row(c, false, &c->host[i], c->usual_ns[i], weights_ns);
	return taken_ns;
}

struct ratio {
	double times;
	int64_t ns;
};

static int by_times(const void *a, const void *b)
{
	const struct ratio *x = a, *y = b;
	return x->times < y->times ? -1 : x->times > y->times;
}

/* Stages differ in what they run, so a slow one is told by one factor over all of its kernels. */
static double stage_factor(const struct causes *c, uint32_t unit)
{
	struct ratio *ratios = malloc((c->n_kernels + 1) * sizeof(*ratios));
	size_t n = 0;
	int64_t all_ns = 0, sum_ns = 0;
	double factor = 1;
	for (size_t i = 0; ratios && i < c->n_kernels; i++) {
		const struct compared *row = &c->kernels[i];
		if (row->unit != unit || row->others_ns <= 0)
			continue;
		ratios[n++] = (struct ratio){(double)row->ns / (double)row->others_ns, row->others_ns};
		all_ns += row->others_ns;
	}
	if (n >= FACTOR_LEAST) {
		sort_rows(ratios, n, sizeof(*ratios), by_times);
		for (size_t i = 0; i < n && 2 * sum_ns < all_ns; i++) {
			factor = ratios[i].times;
			sum_ns += ratios[i].ns;
		}
	}
	free(ratios);
	return factor;
}

static int64_t take_kernels(const struct causes *c, const struct scope *scope, int64_t *weights_ns)
{
	int64_t taken_ns = 0;
	if (c->model->meetings == 0 || scope->unit == ALL_UNITS)
		return take_excess(c, true, scope, weights_ns);
	const double factor = stage_factor(c, scope->unit);
	for (size_t i = 0; factor > 1 && i < c->n_kernels; i++) {
		const struct compared *row = &c->kernels[i];
		if (has(c, scope, row->unit)) /* what only this stage runs is as slow */
			taken_ns +=
				take_off(&weights_ns[row->edge], row->ns - (int64_t)((double)row->ns / factor));
	}
	return taken_ns;
}

/* Slow transfers like those of their class, or (`all`) none at all. */
static int64_t take_link(const struct causes *c, bool all, const struct scope *scope,
						 int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; has(c, scope, UNIT_NONE) && i < m->n_transfers; i++) {
		const struct transfer *t = &m->transfers[i];
		int64_t *weight_ns = &weights_ns[t->edge];
		if (all)
			taken_ns += take_off(weight_ns, *weight_ns);
		else if (c->typical_ns[i] >= 0 && t->ns > c->typical_ns[i])
			taken_ns += take_off(weight_ns, t->ns - c->typical_ns[i]);
	}
	return taken_ns;
}

/* ---- as fast as is asked ---- */

/* A long path of the longest weights still fits into 64 bits. */
static int64_t stretched(int64_t ns, double times)
{
	const double most_ns = (double)(INT64_C(1) << 42), out_ns = (double)ns * times;
	return (int64_t)(out_ns < most_ns ? out_ns : most_ns);
}

int64_t cause_stretch(int64_t *weight_ns, double times)
{
	return take_off(weight_ns, *weight_ns - stretched(*weight_ns, times));
}

int64_t cause_stretch_own(const struct causes *c, size_t host, double times, int64_t *weights_ns)
{
	const int64_t ns = own_left(c, host, weights_ns);
	return take_own_ns(c, host, ns - stretched(ns, times), weights_ns);
}

int cause_group(uint8_t class)
{
	return class & MODEL_GROUP ? class & ~MODEL_GROUP
							   : (int)class_group((enum class_id)(class - 1));
}

bool cause_is_scaled(const struct scale *scale, uint8_t class)
{
	const int id = class & MODEL_GROUP ? SCALED_ALL : class - 1;
	const int group = cause_group(class);
	return group != GROUP_NCCL && (scale->class == SCALED_ALL || scale->class == id) &&
		   (scale->group == SCALED_ALL || scale->group == group);
}

int64_t cause_scale(const struct causes *c, const struct scale *scale, int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t changed_ns = 0;
	for (size_t i = 0; scale->what == SCALED_HOST && i < m->n_host; i++)
		changed_ns += cause_stretch_own(c, i, scale->times, weights_ns);
	for (size_t i = 0; scale->what == SCALED_COPIES && i < m->n_copies; i++)
		changed_ns += cause_stretch(&weights_ns[m->copies[i]], scale->times);
	for (size_t i = 0; scale->what == SCALED_TRANSFER && i < m->n_transfers; i++) {
		int64_t *weight_ns = &weights_ns[m->transfers[i].edge];
		changed_ns += cause_stretch(weight_ns, scale->times);
	}
	for (size_t i = 0; scale->what == SCALED_KERNELS && i < m->n_kernels; i++) {
		int64_t *weight_ns = &weights_ns[m->kernels[i].edge];
		if (cause_is_scaled(scale, m->kernels[i].class))
			changed_ns += cause_stretch(weight_ns, scale->times);
	}
	return changed_ns;
}

int64_t cause_take_size(const struct causes *c, int64_t bytes, int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_transfers; i++) {
		int64_t *weight_ns = &weights_ns[m->transfers[i].edge];
		if (m->transfers[i].bytes == bytes)
			taken_ns += take_off(weight_ns, *weight_ns);
	}
	return taken_ns;
}

static int64_t take_held(const struct causes *c, uint8_t kind, const struct scope *scope,
						 int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_helds; i++)
		if (m->helds[i].kind == kind && has(c, scope, m->helds[i].unit)) {
			const int64_t ns = take_off(&weights_ns[m->helds[i].edge], m->helds[i].ns);
			taken_ns += m->helds[i].again ? 0 : ns;
		}
	return taken_ns;
}

static int64_t take_copies(const struct causes *c, const struct scope *scope, int64_t *weights_ns)
{
	const struct model *m = c->model;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < m->n_copies; i++) {
		const uint32_t edge = m->copies[i];
		if (has(c, scope, m->graph.edges[edge].unit))
			taken_ns += take_off(&weights_ns[edge], weights_ns[edge]);
	}
	return taken_ns;
}

/* Takes all edges of a kind out. Returns their time. */
static int64_t take_kind(const struct causes *c, enum edge_kind kind, const struct scope *scope,
						 int64_t *weights_ns)
{
	const struct graph *graph = &c->model->graph;
	int64_t taken_ns = 0;
	for (size_t i = 0; i < graph->n_edges; i++) {
		if (graph->edges[i].kind != kind || !has(c, scope, graph->edges[i].unit))
			continue;
		taken_ns += weights_ns[i] > 0 ? weights_ns[i] : 0;
		weights_ns[i] = EDGE_OFF;
	}
	return taken_ns;
}

/* The time between batches is no loss: the waits are. */
static int64_t take_input(const struct causes *c, const struct scope *scope, int64_t *weights_ns)
{
	take_kind(c, EDGE_LOADER, scope, weights_ns);
	return take_labels(c, CAUSE_INPUT, scope, weights_ns);
}

static int64_t take(const struct causes *c, enum cause cause, const struct scope *scope,
					int64_t *weights_ns)
{
	int64_t taken_ns = 0;
	if (cause_label(cause) && cause != CAUSE_INPUT)
		taken_ns += take_labels(c, cause, scope, weights_ns);
	if (cause_sites(cause))
		taken_ns += take_waits(c, cause_sites(cause), scope, weights_ns);
	switch (cause) {
	case CAUSE_CODE:
	case CAUSE_FRAMEWORK:
	case CAUSE_API:
		return take_own(c, cause, scope, weights_ns);
	case CAUSE_COPIES:
		return take_copies(c, scope, weights_ns);
	case CAUSE_HOST:
		return take_excess(c, false, scope, weights_ns);
	case CAUSE_KERNELS:
		return take_kernels(c, scope, weights_ns);
	case CAUSE_INPUT:
		return take_input(c, scope, weights_ns);
	case CAUSE_QUEUE_FULL:
		taken_ns = take_labels(c, cause, scope, weights_ns);
		return taken_ns + take_kind(c, EDGE_QUEUE, scope, weights_ns);
	case CAUSE_HOST_FUNC:
	case CAUSE_DEPENDENCY:
	case CAUSE_SHARED:
		return take_held(c, cause_held(cause), scope, weights_ns);
	case CAUSE_LINK:
	case CAUSE_TRANSFER:
		return take_link(c, cause == CAUSE_TRANSFER, scope, weights_ns);
	case CAUSE_EVEN_KERNELS:
	case CAUSE_EVEN_HOST:
		return take_unevenness(c, cause == CAUSE_EVEN_KERNELS, scope, weights_ns);
	case CAUSE_STEADY_HOST:
		return take_unsteadiness(c, scope, weights_ns);
	default:
		return taken_ns;
	}
}

int64_t cause_take(const struct causes *c, enum cause cause, const struct scope *scope,
				   int64_t *weights_ns)
{
	const struct scope of = {scope->unit, scope->host, UINT32_C(1) << cause};
	return take(c, cause, &of, weights_ns);
}

void cause_cured(struct causes *c, enum cause cause, const struct scope *scope)
{
	const struct scope of = {scope->unit, scope->host, 0};
	const uint32_t bit = UINT32_C(1) << cause;
	for (uint32_t unit = 0; unit < c->model->n_units; unit++)
		if (has(c, &of, (uint16_t)unit))
			c->cured[unit] |= bit;
	if (has(c, &of, UNIT_NONE))
		c->cured[c->model->n_units] |= bit;
}
