/* `whatif --graphs`: launches on a stream become nodes of a graph, so far apart as nodes are. Keeps
 * out: gaps of queued launches that stay between nodes, gaps next to copies or of other units that
 * shrink, a gap that is taken for a node's from too few of them. */
#include "check.h"
#include "graph/nodes.h"

#include <stdlib.h>

enum { QUEUED_NS = 960 };

/* Two kernels of unit 0, a copy behind them, and two kernels of unit 1. */
static void make(struct model *model)
{
	static const int64_t ns[] = {0, 100, 1060, 1160, 2120, 2220, 0, 100, 1060, 1160};
	static const struct edge edges[] = {
		{0, 1, 100, 0, EDGE_OP},           {1, 2, QUEUED_NS, 0, EDGE_STREAM},
		{2, 3, 100, 0, EDGE_OP},           {3, 4, QUEUED_NS, 0, EDGE_STREAM},
		{4, 5, 100, 0, EDGE_OP},           {6, 7, 100, 1, EDGE_OP},
		{7, 8, QUEUED_NS, 1, EDGE_STREAM}, {8, 9, 100, 1, EDGE_OP}};
	uint32_t first, number;
	*model = (struct model){0};
	CHECK(graph_add_nodes(&model->graph, ns, 10, &first) == 0, "no nodes");
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		CHECK(graph_add_edge(&model->graph, &edges[i], &number) == 0, "no edge");
	model->copies = malloc(sizeof(*model->copies));
	model->copies[0] = 4;
	model->n_copies = 1;
	CHECK(model_seal(model) == 0, "not sealed");
}

/* The weight of the edge from the op that ended at `ns`, of that unit. */
static int64_t after(const struct model *m, const int64_t *weights, int64_t ns, uint16_t unit)
{
	for (size_t i = 0; i < m->graph.n_edges; i++)
		if (m->graph.edges[i].kind == EDGE_STREAM && m->graph.edges[i].unit == unit &&
			m->graph.measured_ns[m->graph.edges[i].from] == ns)
			return weights[i];
	return -1;
}

static void check_taken(struct node_gap gap, bool both)
{
	const bool meant[] = {true, both};
	struct model model;
	int64_t weights[8];
	make(&model);
	for (size_t i = 0; i < 8; i++)
		weights[i] = model.graph.edges[i].ns;
	CHECK(nodes_take(&model, gap, meant, weights) == 0, "not taken");
	CHECK(after(&model, weights, 100, 0) == gap.ns, "between kernels: %lld",
		  (long long)after(&model, weights, 100, 0));
	CHECK(after(&model, weights, 1160, 0) == QUEUED_NS, "before a copy: %lld",
		  (long long)after(&model, weights, 1160, 0));
	CHECK(after(&model, weights, 100, 1) == (both ? gap.ns : QUEUED_NS), "of the other unit: %lld",
		  (long long)after(&model, weights, 100, 1));
	model_free(&model);
}

static void check_gap(int n, bool all_h100, struct node_gap expected)
{
	struct model model = {0};
	for (int i = 0; i < n; i++)
		CHECK(nodes_note(&model, i % 2 ? 130 : 131) == 0, "not noted");
	CHECK(nodes_note(&model, -5) == 0 && nodes_note(&model, 1 << 20) == 0, "not noted");
	const struct node_gap gap = nodes_gap(&model, all_h100);
	CHECK(gap.of == expected.of && gap.ns == expected.ns, "%d gaps: %lld of %d", n,
		  (long long)gap.ns, (int)gap.of);
	model_free(&model);
}

int main(void)
{
	check_taken((struct node_gap){96, NODE_GAP_OF_H100}, true);
	check_taken((struct node_gap){64, NODE_GAP_OF_RUN}, false);
	check_gap(200, false, (struct node_gap){130, NODE_GAP_OF_RUN});
	check_gap(200, true, (struct node_gap){130, NODE_GAP_OF_RUN});
	check_gap(99, true, (struct node_gap){96, NODE_GAP_OF_H100});
	check_gap(0, false, (struct node_gap){96, NODE_GAP_STAYS});
	return finish();
}
