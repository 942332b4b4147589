#include "graph/nodes.h"

#include <errno.h>
#include <stdlib.h>

enum {
	GAPS_LEAST = 100, /* of which the usual one is taken */
	H100_NS = 96      /* docs/GPU_RESULTS.md, section graph: the median */
};

int nodes_note(struct model *model, int64_t gap_ns)
{
	if (gap_ns < 0 || gap_ns >= NODE_GAP_MOST_NS)
		return 0; /* side by side, or after something else */
	if (!model->node_gaps)
		model->node_gaps = calloc(NODE_GAP_MOST_NS, sizeof(*model->node_gaps));
	if (!model->node_gaps)
		return -ENOMEM;
	model->node_gaps[gap_ns]++;
	model->n_node_gaps++;
	return 0;
}

struct node_gap nodes_gap(const struct model *m, bool all_h100)
{
	uint64_t below = 0;
	int64_t ns = 0;
	if (m->n_node_gaps < GAPS_LEAST)
		return (struct node_gap){H100_NS, all_h100 ? NODE_GAP_OF_H100 : NODE_GAP_STAYS};
	while (2 * (below + m->node_gaps[ns]) < m->n_node_gaps)
		below += m->node_gaps[ns++];
	return (struct node_gap){ns, NODE_GAP_OF_RUN};
}

/* By node: where a copy between host and device begins or ends. NULL: no memory. */
static bool *find_copies(const struct model *m)
{
	bool *copies = calloc(m->graph.n_nodes + 1, sizeof(*copies));
	for (size_t i = 0; copies && i < m->n_copies; i++) {
		const struct edge *edge = &m->graph.edges[m->copies[i]];
		copies[edge->from] = copies[edge->to] = true;
	}
	return copies;
}

int nodes_take(const struct model *m, struct node_gap gap, const bool *meant, int64_t *weights_ns)
{
	bool *copies = find_copies(m);
	if (!copies)
		return -ENOMEM;
	for (size_t i = 0; i < m->graph.n_edges; i++) {
		const struct edge *edge = &m->graph.edges[i];
		if (edge->kind == EDGE_STREAM && edge->unit != UNIT_NONE && meant[edge->unit] &&
			!copies[edge->from] && !copies[edge->to] && weights_ns[i] > gap.ns)
			weights_ns[i] = gap.ns;
	}
	free(copies);
	return 0;
}
