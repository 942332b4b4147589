/* What an op may have waited for before it started: its launch, the op before it on its stream, an
 * event. They become edges when all are known, because what they do not explain of the start goes to
 * one of them (docs/GRAPH.md, "What is left over"). */
#ifndef GRAPH_ARRIVALS_H
#define GRAPH_ARRIVALS_H

#include "graph/process.h"

struct arrival {
	int64_t ns;      /* when its node happened */
	int64_t then_ns; /* how long after it the op may start */
	uint32_t op, node;
	uint8_t kind;    /* enum edge_kind */
	uint32_t stream; /* of the op that is waited for; 0: it waits for none */
	int64_t held_ns; /* of then_ns: what host functions after that op take */
};

struct arrivals {
	struct arrival *at;
	size_t n, room;
};

/* 0 or -ENOMEM. */
int arrivals_add(struct arrivals *arrivals, const struct arrival *arrival);
/* Launches and streams; notes the gaps between nodes of graphs. 0 or -ENOMEM. */
int arrivals_of_streams(struct arrivals *arrivals, struct model *model,
						const struct process *process);
/* Makes the edges to the starts of all ops. 0 or -ENOMEM. */
int arrivals_link(struct arrivals *arrivals, struct process *process, struct model *model);

#endif
