/* The replay graph (docs/GRAPH.md): instants of a run as nodes, what made them happen as edges. A
 * node happens when the last of its edges has arrived, so a replay with other weights answers what
 * would have happened. Built once, sealed, then replayed as often as needed. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stddef.h>
#include <stdint.h>

/* In the order of the tie rule: of edges that arrive together the earlier kind counts. */
enum edge_kind {
	EDGE_OUTSIDE,  /* a thread between calls */
	EDGE_CALL,     /* a thread inside of a call */
	EDGE_HAND,     /* a thread to the one that it wakes */
	EDGE_LAUNCH,   /* a call to its op */
	EDGE_STREAM,   /* an op to the next one of its stream */
	EDGE_EVENT,    /* an op to one of another stream that waits for its event */
	EDGE_SYNC,     /* an op to the end of a call that waits for it */
	EDGE_QUEUE,    /* the start of an op to a call that needed its place in the queue */
	EDGE_OP,       /* the start of an op to its end */
	EDGE_ARRIVE,   /* a member's start to the meeting of all */
	EDGE_TRANSFER, /* the meeting to the end of a member */
	EDGE_HELD,     /* an op of another stream that ended just before */
	EDGE_LOADER    /* a batch that was waited for to the next such one */
};

#define UNIT_NONE UINT16_MAX
#define EDGE_NONE UINT32_MAX
/* The weight of an edge that is taken out. */
#define EDGE_OFF (INT64_MIN / 4)

struct edge {
	uint32_t from, to;
	int64_t ns;
	uint16_t unit; /* whose it is: docs/GRAPH.md, "Scopes"; UNIT_NONE: nobody's alone */
	uint8_t kind;  /* enum edge_kind */
};

struct graph {
	int64_t *measured_ns; /* by node: when it happened; sealed: by place in the order */
	size_t n_nodes, nodes_room;
	struct edge *edges; /* sealed: by `to`, each after all that it depends on */
	size_t n_edges, edges_room;
	uint32_t *first;     /* sealed: by node, its first edge; one more than there are nodes */
	uint32_t *from;      /* sealed: by edge */
	uint32_t backward;   /* edges that were dropped because they run against time */
	uint32_t circular;   /* nodes that depend on themselves: they keep their time */
	int64_t repaired_ns; /* time that sealing had to add to edges */
};

struct graph_places { /* where sealing put things: by old number */
	uint32_t *node;
	uint32_t *edge; /* EDGE_NONE: dropped */
};

void graph_free(struct graph *graph);
/* Adds `n` nodes with these times; *first is the number of the first one. 0 or -ENOMEM. */
int graph_add_nodes(struct graph *graph, const int64_t *ns, size_t n, uint32_t *first);
/* Adds an edge; *number may be NULL. 0 or -ENOMEM. */
int graph_add_edge(struct graph *graph, const struct edge *edge, uint32_t *number);

/* Brings nodes into an order in which each one comes after all that it depends on, renumbers edges
 * and makes the replay of the measured weights exact. The caller frees both arrays of `places`. 0
 * or -ENOMEM. */
int graph_seal(struct graph *graph, struct graph_places *places);
void graph_places_free(struct graph_places *places);

/* at_ns[node]: when each node happens with these weights, one for each edge. */
void graph_replay(const struct graph *graph, const int64_t *weights_ns, int64_t *at_ns);
/* The edge that arrives last at a node after a replay; EDGE_NONE: it has none. */
uint32_t graph_binding(const struct graph *graph, const int64_t *weights_ns, const int64_t *at_ns,
					   uint32_t node);

#endif
