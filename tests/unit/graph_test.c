/* The graph puts nodes in order, reproduces what was measured, and answers with other weights. */
#include "check.h"
#include "graph/graph.h"

#include <stdlib.h>

struct given {
	struct graph graph;
	struct graph_places places;
};

static void make(struct given *g, const int64_t *times, uint32_t n, const struct edge *edges,
				 uint32_t n_edges)
{
	uint32_t first;
	*g = (struct given){0};
	CHECK(graph_add_nodes(&g->graph, times, n, &first) == 0 && first == 0, "no nodes");
	for (uint32_t i = 0; i < n_edges; i++)
		CHECK(graph_add_edge(&g->graph, &edges[i], NULL) == 0, "no edge");
	CHECK(graph_seal(&g->graph, &g->places) == 0, "not sealed");
}

static void drop(struct given *g)
{
	graph_places_free(&g->places);
	graph_free(&g->graph);
}

/* When node `node` happens if edge `edge` weighs `ns`. */
static int64_t with(const struct given *g, uint32_t node, uint32_t edge, int64_t ns)
{
	int64_t weights[16], at[16];
	for (size_t i = 0; i < g->graph.n_edges; i++)
		weights[i] = g->graph.edges[i].ns;
	weights[g->places.edge[edge]] = ns;
	graph_replay(&g->graph, weights, at);
	return at[g->places.node[node]];
}

/* A call launches an op, an op of another stream ends later: the later one counts. */
static void test_replay(void)
{
	/* numbered against their order: 0 end, 1 op, 2 the other op's end, 3 call */
	const int64_t times[] = {1000, 500, 400, 100};
	const struct edge edges[] = {{1, 0, 500, 0, EDGE_OP},
								 {2, 1, 100, 0, EDGE_EVENT},
								 {3, 1, 50, 0, EDGE_LAUNCH},
								 {3, 2, 250, 0, EDGE_OP}};
	struct given g;
	make(&g, times, 4, edges, 4);
	CHECK(g.graph.repaired_ns == 50, "repaired %lld", (long long)g.graph.repaired_ns);
	CHECK(with(&g, 0, 0, 500) == 1000, "what was measured comes out");
	CHECK(with(&g, 0, 0, 100) == 600, "a shorter op");
	CHECK(with(&g, 0, 1, EDGE_OFF) == 650, "without the event the launch counts");
	CHECK(with(&g, 0, 3, 0) == 700, "the op starts 100 after the other one's end");
	CHECK(with(&g, 0, 2, 400) == 1000, "the edge that does not bind may grow");
	int64_t weights[4], at[4];
	for (int i = 0; i < 4; i++)
		weights[i] = g.graph.edges[i].ns;
	graph_replay(&g.graph, weights, at);
	CHECK(graph_binding(&g.graph, weights, at, g.places.node[1]) == g.places.edge[1],
		  "the event binds");
	CHECK(graph_binding(&g.graph, weights, at, g.places.node[3]) == EDGE_NONE, "a source");
	drop(&g);
}

/* Of edges that arrive together the first kind counts. */
static void test_tie(void)
{
	const int64_t times[] = {0, 0, 10};
	const struct edge edges[] = {{0, 2, 10, 0, EDGE_STREAM}, {1, 2, 10, 0, EDGE_LAUNCH}};
	struct given g;
	make(&g, times, 3, edges, 2);
	int64_t weights[2] = {10, 10}, at[3];
	graph_replay(&g.graph, weights, at);
	CHECK(graph_binding(&g.graph, weights, at, g.places.node[2]) == g.places.edge[1],
		  "the launch goes before the stream");
	drop(&g);
}

/* Errors of clocks: an edge against time goes, a circle keeps its times. */
static void test_errors(void)
{
	const int64_t times[] = {10, 20, 20, 30, 5};
	const struct edge edges[] = {{0, 1, 10, 0, EDGE_CALL},  {1, 2, 0, 0, EDGE_ARRIVE},
								 {2, 1, 0, 0, EDGE_ARRIVE}, {2, 3, 10, 0, EDGE_CALL},
								 {3, 4, 1, 0, EDGE_LAUNCH}, {0, 4, 90, 0, EDGE_CALL}};
	struct given g;
	make(&g, times, 5, edges, 6);
	CHECK(g.graph.backward == 2, "%u edges against time", g.graph.backward);
	CHECK(g.places.edge[4] == EDGE_NONE && g.places.edge[5] == EDGE_NONE, "they are gone");
	CHECK(g.graph.circular == 3, "%u nodes depend on themselves", g.graph.circular);
	int64_t weights[8], at[5];
	for (size_t i = 0; i < g.graph.n_edges; i++)
		weights[i] = g.graph.edges[i].ns;
	graph_replay(&g.graph, weights, at);
	for (uint32_t i = 0; i < 5; i++)
		CHECK(at[g.places.node[i]] == times[i], "node %u keeps its time", i);
	drop(&g);
}

/* A weight may be no longer than what was measured, and times of today are not too large. */
static void test_heavy(void)
{
	const int64_t from = INT64_C(1760000001062825487), times[] = {from, from + 3};
	const struct edge edges[] = {{0, 1, 1000, 0, EDGE_CALL}};
	struct given g;
	make(&g, times, 2, edges, 1);
	CHECK(g.graph.edges[0].ns == 3, "%lld", (long long)g.graph.edges[0].ns);
	CHECK(with(&g, 1, 0, 3) == from + 3, "to the nanosecond");
	drop(&g);
}

int main(void)
{
	test_replay();
	test_tie();
	test_errors();
	test_heavy();
	return finish();
}
