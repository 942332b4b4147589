#include "doubles/driver/stream/graph.h"

#include "engine/room.h"
#include "values/known.h"

#include <stdlib.h>
#include <string.h>

#define GRAPH_MAGIC 0x47524150u
#define EXEC_MAGIC 0x47455845u

static uint32_t exec_ids;

struct graph *graph_new(void)
{
	struct graph *graph = must(calloc(1, sizeof(*graph)));
	graph->magic = GRAPH_MAGIC;
	graph->refs = 1;
	return graph;
}

void graph_drop(struct graph *graph)
{
	if (!graph || --graph->refs)
		return;
	for (uint32_t i = 0; i < graph->n; i++) {
		free(graph->nodes[i]->after);
		free(graph->nodes[i]);
	}
	free(graph->nodes);
	graph->magic = 0;
	free(graph);
}

struct graph *graph_of(void *handle)
{
	struct graph *graph = handle;
	return graph && graph->magic == GRAPH_MAGIC ? graph : NULL;
}

uint32_t graph_add(struct graph *graph, const struct plan *plan, const uint32_t *after, uint32_t n)
{
	graph->nodes = room_for(graph->nodes, graph->n, &graph->room, 64, sizeof(struct node *));
	struct node *node = must(calloc(1, sizeof(*node)));
	node->plan = *plan;
	node->n_after = n;
	if (n) {
		node->after = must(malloc(n * sizeof(*after)));
		memcpy(node->after, after, n * sizeof(*after));
	}
	for (uint32_t i = 0; i < n; i++)
		graph->nodes[after[i]]->followed = true;
	graph->nodes[graph->n] = node;
	return graph->n++;
}

struct graph_exec *graph_instantiate(struct graph *graph)
{
	struct graph_exec *exec = must(calloc(1, sizeof(*exec)));
	exec->magic = EXEC_MAGIC;
	exec->id = ++exec_ids;
	exec->graph = graph;
	exec->ops = must(calloc(graph->n + 1, sizeof(struct gpu_op *)));
	graph->refs++;
	return exec;
}

struct graph_exec *graph_exec_of(void *handle)
{
	struct graph_exec *exec = handle;
	return exec && exec->magic == EXEC_MAGIC ? exec : NULL;
}

void graph_exec_destroy(struct graph_exec *exec)
{
	graph_drop(exec->graph);
	free(exec->ops);
	exec->magic = 0;
	free(exec);
}

/* The launch reaches the device: a place in the queue until all before it is over. */
static struct gpu_op *begin_launch(struct stream *stream)
{
	struct gpu_op *begin = gpu_op_hold(gpu_op_new(stream->gpu_stream, GPU_JOIN, ENGINE_NONE));
	begin->arrival_ns = core.agenda.now_ns + settings()->latency_ns;
	begin->queued = true;
	gpu_submit(begin);
	return begin;
}

static struct gpu_op *node_op(struct graph_exec *exec, uint32_t i, struct stream *stream,
							  struct gpu_op *begin)
{
	const struct node *node = exec->graph->nodes[i];
	struct plan plan = node->plan;
	plan.record.graph = exec->id;
	plan.record.graph_node = (uint64_t)exec->id << 32 | (i + 1);
	struct gpu_op *op = gpu_op_hold(op_new(stream, &plan));
	op->arrival_ns = core.agenda.now_ns;
	op->node = node->n_after;
	op->queued = false;
	if (plan.move.target)
		op_move_later(op, &plan.move, false);
	if (!node->n_after)
		gpu_op_after(op, begin);
	for (uint32_t d = 0; d < node->n_after; d++)
		gpu_op_after(op, exec->ops[node->after[d]]);
	return op;
}

/* Between two marks: the launch's arrival, and when all nodes are over. */
void graph_launch(struct graph_exec *exec, struct stream *stream)
{
	const struct graph *graph = exec->graph;
	op_wait_for_place(stream->context);
	known_forget(stream->context->device);
	struct gpu_op *begin = begin_launch(stream);
	for (uint32_t i = 0; i < graph->n; i++)
		exec->ops[i] = node_op(exec, i, stream, begin);
	struct gpu_op *end = gpu_op_new(stream->gpu_stream, GPU_JOIN, ENGINE_NONE);
	end->arrival_ns = core.agenda.now_ns;
	for (uint32_t i = 0; i < graph->n; i++) {
		gpu_submit_node(exec->ops[i]);
		if (!graph->nodes[i]->followed)
			gpu_op_after(end, exec->ops[i]);
	}
	gpu_submit(end);
	for (uint32_t i = 0; i < graph->n; i++)
		gpu_op_drop(exec->ops[i]);
	gpu_op_drop(begin);
}
