#include "graph/overlap.h"

#include <errno.h>
#include <stdlib.h>

struct last { /* the collective of a unit and step that ends last */
	int64_t ns;
	uint32_t node;
};

struct overlap {
	const struct model *model;
	int64_t *ends_ns; /* by unit and step: when its last op ends */
	struct last *last;
	uint8_t *hidden; /* by node: the end of a collective that nobody waits for */
};

static uint16_t unit_of(const struct graph *graph, uint32_t node)
{
	for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
		if (graph->edges[i].kind == EDGE_OP)
			return graph->edges[i].unit;
	return UNIT_NONE;
}

static void find_ends(struct overlap *o)
{
	const struct model *m = o->model;
	for (size_t i = 0; i < m->n_units * m->n_steps; i++) {
		o->ends_ns[i] = INT64_MIN;
		o->last[i].ns = INT64_MIN;
	}
	for (size_t i = 0; i < m->n_ends; i++) {
		int64_t *end_ns = &o->ends_ns[m->ends[i].unit * m->n_steps + (uint32_t)m->ends[i].step];
		const int64_t ns = m->graph.measured_ns[m->ends[i].node];
		*end_ns = ns > *end_ns ? ns : *end_ns;
	}
}

/* The place of a unit's step; NULL: after its last one. */
static struct last *place_of(const struct overlap *o, uint16_t unit, int64_t ns)
{
	const uint32_t n = o->model->n_steps;
	for (uint32_t step = 0; step < n; step++)
		if (ns <= o->ends_ns[unit * n + step])
			return &o->last[unit * n + step];
	return NULL;
}

static void find_hidden(struct overlap *o)
{
	const struct model *m = o->model;
	for (size_t i = 0; i < m->n_transfers; i++) {
		const uint32_t node = m->graph.edges[m->transfers[i].edge].to;
		const uint16_t unit = unit_of(&m->graph, node);
		const int64_t ns = m->graph.measured_ns[node];
		struct last *last = unit == UNIT_NONE ? NULL : place_of(o, unit, ns);
		if (!last)
			continue;
		o->hidden[node] = 1;
		if (ns > last->ns)
			*last = (struct last){ns, node};
	}
	for (size_t i = 0; i < m->n_units * m->n_steps; i++)
		if (o->last[i].ns != INT64_MIN)
			o->hidden[o->last[i].node] = 0;
}

int overlap_take(const struct model *m, int64_t *weights_ns, uint64_t *freed)
{
	const struct graph *graph = &m->graph;
	const size_t n = m->n_units * m->n_steps + 1;
	struct overlap o = {m, calloc(n, sizeof(*o.ends_ns)), calloc(n, sizeof(*o.last)),
						calloc(graph->n_nodes + 1, 1)};
	int error = o.ends_ns && o.last && o.hidden ? 0 : -ENOMEM;
	*freed = 0;
	if (!error) {
		find_ends(&o);
		find_hidden(&o);
	}
	for (size_t i = 0; !error && i < graph->n_edges; i++) {
		const uint8_t kind = graph->edges[i].kind;
		if ((kind != EDGE_EVENT && kind != EDGE_HELD) || !o.hidden[graph->edges[i].from])
			continue;
		*freed += weights_ns[i] > EDGE_OFF;
		weights_ns[i] = EDGE_OFF;
	}
	free(o.ends_ns);
	free(o.last);
	free(o.hidden);
	return error;
}
