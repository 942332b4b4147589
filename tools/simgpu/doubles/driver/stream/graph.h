/* Graphs: nodes with what each comes after. A graph is not changed after its capture; an executable
 * one shares its nodes. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_GRAPH_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_GRAPH_H

#include "doubles/driver/stream/op.h"

struct node { /* a CUgraphNode points to it */
	struct plan plan;
	uint32_t *after;
	uint32_t n_after;
	bool followed; /* some node comes after it */
};

struct graph {
	uint32_t magic;
	unsigned refs;
	struct node **nodes;
	uint32_t n, room;
};

struct graph_exec {
	uint32_t magic;
	uint32_t id;
	struct graph *graph;
	struct gpu_op **ops; /* of the launch being submitted */
};

/* All with the engine's lock held. */
struct graph *graph_new(void);
void graph_drop(struct graph *graph);
struct graph *graph_of(void *handle); /* NULL: not one */
uint32_t graph_add(struct graph *graph, const struct plan *plan, const uint32_t *after, uint32_t n);
struct graph_exec *graph_instantiate(struct graph *graph);
struct graph_exec *graph_exec_of(void *handle);
void graph_exec_destroy(struct graph_exec *exec);
/* On a stream that is not being captured; may wait for a place in the device's queue. */
void graph_launch(struct graph_exec *exec, struct stream *stream);

#endif
