/* What lies between two nodes of a CUDA graph, where `baton whatif --graphs` makes nodes of launches. */
#ifndef GRAPH_NODES_H
#define GRAPH_NODES_H

#include "graph/model.h"

enum node_gap_of { NODE_GAP_STAYS, NODE_GAP_OF_RUN, NODE_GAP_OF_H100 };

struct node_gap {
	int64_t ns;
	enum node_gap_of of; /* where it is from; STAYS: not known, gaps stay what they are */
};

/* Notes a gap between two ops of one launch. 0 or -ENOMEM. */
int nodes_note(struct model *model, int64_t gap_ns);
/* The usual one of this run; else what was measured, where all GPUs are of that kind. */
struct node_gap nodes_gap(const struct model *model, bool all_h100);
/* What follows on a stream of the units that are meant follows by that; copies between host and
 * device keep their gaps. 0 or -ENOMEM. */
int nodes_take(const struct model *model, struct node_gap gap, const bool *meant,
			   int64_t *weights_ns);

#endif
