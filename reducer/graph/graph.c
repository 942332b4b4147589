#include "graph/graph.h"

#include "base/room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOVED (UINT32_C(1) << 31) /* in the places of edges that lie where they belong */

enum { COPIED_EDGES = 1 << 21 }; /* so few are moved by way of a second array, 48 MiB at most */

void graph_free(struct graph *graph)
{
	free(graph->measured_ns);
	free(graph->edges);
	free(graph->first);
	free(graph->from);
	memset(graph, 0, sizeof(*graph));
}

int graph_add_nodes(struct graph *graph, const int64_t *ns, size_t n, uint32_t *first)
{
	if (graph->n_nodes + n >= UINT32_MAX)
		return -ENOMEM;
	while (n && graph->n_nodes + n > graph->nodes_room)
		if (room_double((void **)&graph->measured_ns, &graph->nodes_room, 1024, sizeof(*ns)) != 0)
			return -ENOMEM;
	*first = (uint32_t)graph->n_nodes;
	if (n)
		memcpy(graph->measured_ns + graph->n_nodes, ns, n * sizeof(*ns));
	graph->n_nodes += n;
	return 0;
}

int graph_add_edge(struct graph *graph, const struct edge *edge, uint32_t *number)
{
	if (graph->n_edges + 1 >= EDGE_NONE || room_for((void **)&graph->edges, graph->n_edges,
													&graph->edges_room, 4096, sizeof(*edge)) != 0)
		return -ENOMEM;
	if (number)
		*number = (uint32_t)graph->n_edges;
	graph->edges[graph->n_edges++] = *edge;
	return 0;
}

void graph_places_free(struct graph_places *places)
{
	free(places->node);
	free(places->edge);
	memset(places, 0, sizeof(*places));
}

/* Of edges between equal instants those that a clock's grain may turn round. */
static bool may_turn(uint8_t kind)
{
	return kind == EDGE_LAUNCH || kind == EDGE_QUEUE || kind == EDGE_EVENT || kind == EDGE_HELD ||
		   kind == EDGE_HAND;
}

static bool runs_back(const struct graph *graph, const struct edge *edge)
{
	const int64_t from_ns = graph->measured_ns[edge->from], to_ns = graph->measured_ns[edge->to];
	return from_ns > to_ns || edge->from == edge->to ||
		   (from_ns == to_ns && may_turn(edge->kind) && edge->from > edge->to);
}

static void drop_backward(struct graph *graph, uint32_t *place)
{
	size_t kept = 0;
	for (size_t i = 0; i < graph->n_edges; i++) {
		const bool back = runs_back(graph, &graph->edges[i]);
		graph->backward += back;
		place[i] = back ? EDGE_NONE : (uint32_t)kept;
		if (!back)
			graph->edges[kept++] = graph->edges[i];
	}
	graph->n_edges = kept;
}

struct order {       /* Kahn's order: a node is ready when all that it depends on is placed */
	uint32_t *first; /* by node: its first outgoing edge in `out` */
	uint32_t *out;
	uint32_t *left; /* by node: edges that have not arrived */
	uint32_t *ready;
};

static void order_free(struct order *o)
{
	free(o->first);
	free(o->out);
	free(o->left);
	free(o->ready);
}

static int order_open(struct order *o, const struct graph *graph)
{
	const size_t n = graph->n_nodes;
	*o = (struct order){.first = calloc(n + 2, sizeof(*o->first)),
						.out = malloc((graph->n_edges + 1) * sizeof(*o->out)),
						.left = calloc(n + 1, sizeof(*o->left)),
						.ready = malloc((n + 1) * sizeof(*o->ready))};
	if (!o->first || !o->out || !o->left || !o->ready)
		return -ENOMEM;
	for (size_t i = 0; i < graph->n_edges; i++) {
		o->first[graph->edges[i].from + 2]++;
		o->left[graph->edges[i].to]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		o->first[i] += o->first[i - 1];
	for (size_t i = 0; i < graph->n_edges; i++)
		o->out[o->first[graph->edges[i].from + 1]++] = (uint32_t)i;
	return 0;
}

/* place[node]: its place in the order; chains stay together, which keeps a replay in the cache.
 * Returns how many were placed. */
static uint32_t order_walk(struct order *o, const struct graph *graph, uint32_t *place)
{
	size_t n_ready = 0;
	uint32_t placed = 0;
	for (size_t i = graph->n_nodes; i-- > 0;)
		if (o->left[i] == 0)
			o->ready[n_ready++] = (uint32_t)i;
	memset(place, 0xff, graph->n_nodes * sizeof(*place));
	while (n_ready) {
		const uint32_t node = o->ready[--n_ready];
		place[node] = placed++;
		for (uint32_t i = o->first[node]; i < o->first[node + 1]; i++) {
			const uint32_t to = graph->edges[o->out[i]].to;
			if (--o->left[to] == 0)
				o->ready[n_ready++] = to;
		}
	}
	for (size_t i = 0; i < graph->n_nodes; i++)
		if (place[i] == UINT32_MAX)
			place[i] = placed++;
	return placed;
}

/* Where each edge goes: into the order of the nodes they lead to; those into circular nodes last. */
static void place_edges(struct graph *graph, uint32_t placed, const struct graph_places *places,
						uint32_t *of)
{
	uint32_t dropped = (uint32_t)graph->n_edges;
	for (size_t i = 0; i < graph->n_edges; i++)
		if (places->node[graph->edges[i].to] < placed)
			graph->first[places->node[graph->edges[i].to] + 2]++;
	for (size_t i = 2; i < graph->n_nodes + 2; i++)
		graph->first[i] += graph->first[i - 1];
	for (size_t i = 0; i < graph->n_edges; i++) {
		struct edge *edge = &graph->edges[i];
		edge->from = places->node[edge->from];
		edge->to = places->node[edge->to];
		of[i] = edge->to < placed ? graph->first[edge->to + 1]++ : --dropped;
	}
}

/* Each place is known before the one in front of it is filled, so this is several times as fast as
 * circles. False: too many, or no memory. */
static bool copy_edges(struct graph *graph, const uint32_t *of)
{
	struct edge *edges =
		graph->n_edges <= COPIED_EDGES ? malloc((graph->n_edges + 1) * sizeof(*edges)) : NULL;
	if (!edges)
		return false;
	for (size_t i = 0; i < graph->n_edges; i++)
		edges[of[i]] = graph->edges[i];
	free(graph->edges);
	graph->edges = edges;
	graph->edges_room = graph->n_edges;
	return true;
}

/* Moves each edge to its place, circle by circle. */
static void move_edges(struct graph *graph, uint32_t *of)
{
	for (size_t i = 0; i < graph->n_edges; i++) {
		struct edge edge = graph->edges[i];
		uint32_t to = of[i];
		while (!(to & MOVED)) {
			const struct edge next = graph->edges[to];
			const uint32_t then = of[to];
			graph->edges[to] = edge;
			of[to] = then | MOVED;
			edge = next;
			to = then;
		}
	}
}

static int arrange(struct graph *graph, uint32_t placed, const struct graph_places *places,
				   uint32_t *of)
{
	int64_t *times = malloc((graph->n_nodes + 1) * sizeof(*times));
	graph->first = calloc(graph->n_nodes + 2, sizeof(*graph->first));
	graph->from = malloc((graph->n_edges + 1) * sizeof(*graph->from));
	if (!times || !graph->first || !graph->from || graph->n_edges >= MOVED) {
		free(times);
		return -ENOMEM;
	}
	for (size_t i = 0; i < graph->n_nodes; i++)
		times[places->node[i]] = graph->measured_ns[i];
	free(graph->measured_ns);
	graph->measured_ns = times;
	place_edges(graph, placed, places, of);
	if (!copy_edges(graph, of))
		move_edges(graph, of);
	const uint32_t kept = graph->first[graph->n_nodes];
	for (size_t i = 0; i < graph->n_edges; i++)
		of[i] = (of[i] & ~MOVED) < kept ? of[i] & ~MOVED : EDGE_NONE;
	graph->n_edges = kept;
	for (size_t i = 0; i < kept; i++)
		graph->from[i] = graph->edges[i].from;
	return 0;
}

/* Weights with which the measured times reproduce themselves. */
static void make_exact(struct graph *graph)
{
	for (size_t node = 0; node < graph->n_nodes; node++) {
		const int64_t to_ns = graph->measured_ns[node];
		struct edge *latest = NULL;
		int64_t latest_ns = INT64_MIN;
		for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
			struct edge *edge = &graph->edges[i];
			const int64_t apart_ns = to_ns - graph->measured_ns[edge->from];
			edge->ns = edge->ns > apart_ns ? apart_ns : edge->ns;
			if (!latest || edge->ns - apart_ns > latest_ns) {
				latest = edge;
				latest_ns = edge->ns - apart_ns;
			}
		}
		if (latest && latest_ns < 0) {
			latest->ns -= latest_ns;
			graph->repaired_ns -= latest_ns;
		}
	}
}

int graph_seal(struct graph *graph, struct graph_places *places)
{
	const size_t n_edges = graph->n_edges;
	struct order order = {0};
	uint32_t placed = 0, *of = malloc((n_edges + 1) * sizeof(*of));
	places->node = malloc((graph->n_nodes + 1) * sizeof(*places->node));
	places->edge = malloc((n_edges + 1) * sizeof(*places->edge));
	int error = of && places->node && places->edge ? 0 : -ENOMEM;
	if (!error)
		drop_backward(graph, places->edge);
	if (!error)
		error = order_open(&order, graph);
	if (!error) {
		placed = order_walk(&order, graph, places->node);
		for (size_t i = 0; i < graph->n_nodes; i++)
			graph->circular += order.left[i] > 0;
	}
	order_free(&order);
	if (!error)
		error = arrange(graph, placed - graph->circular, places, of);
	for (size_t i = 0; !error && i < n_edges; i++)
		places->edge[i] = places->edge[i] == EDGE_NONE ? EDGE_NONE : of[places->edge[i]];
	free(of);
	if (!error)
		make_exact(graph);
	return error;
}

void graph_replay(const struct graph *graph, const int64_t *weights_ns, int64_t *at_ns)
{
	uint32_t edge = 0;
	for (size_t node = 0; node < graph->n_nodes; node++) {
		int64_t latest_ns = EDGE_OFF;
		for (const uint32_t end = graph->first[node + 1]; edge < end; edge++) {
			const int64_t weight_ns = weights_ns[edge], ns = at_ns[graph->from[edge]] + weight_ns;
			latest_ns = weight_ns > EDGE_OFF && ns > latest_ns ? ns : latest_ns;
		}
		at_ns[node] = latest_ns > EDGE_OFF ? latest_ns : graph->measured_ns[node];
	}
}

uint32_t graph_binding(const struct graph *graph, const int64_t *weights_ns, const int64_t *at_ns,
					   uint32_t node)
{
	uint32_t best = EDGE_NONE;
	for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
		const struct edge *edge = &graph->edges[i];
		if (weights_ns[i] <= EDGE_OFF || at_ns[edge->from] + weights_ns[i] != at_ns[node])
			continue;
		if (best == EDGE_NONE || edge->kind < graph->edges[best].kind)
			best = i;
	}
	return best;
}
