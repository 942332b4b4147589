/* Steps that are launches of one CUDA graph: a training step that was captured whole and has one
 * record for each launch, so that no kernels are told (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_GRAPH_STEPS_H
#define STEPS_GRAPH_STEPS_H

#include <stddef.h>
#include <stdint.h>

struct graph_launch {
	int64_t launch_ns, dur_ns; /* of the launch, of the work */
	uint32_t name;
};

struct graph_launches {
	struct graph_launch *at;
	size_t n, room;
	int64_t all_ns; /* of the work of all kinds that the process launched */
};

/* The steps so far: n launch times, ascending. When most launches of the graph with most work lie
 * in one of them, before the first, or there are none, and that work is at least half of all: its
 * launches instead, in new memory with room for one more, the old freed. *end_ns is then where the
 * last ends, and *name the graph. 0 or -ENOMEM. */
int graph_steps_take(struct graph_launches *graphs, int64_t **begins, size_t *n, int64_t *end_ns,
					 uint32_t *name);

#endif
