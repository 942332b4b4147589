#include "engine/gpu.h"

#include "engine/room.h"

#include <stdlib.h>
#include <string.h>

void gpu_open(struct gpu *gpu, struct agenda *agenda, const struct gpu_hooks *hooks, void *owner)
{
	*gpu = (struct gpu){.agenda = agenda, .hooks = hooks, .owner = owner, .idle_from_ns = -1};
	for (int e = 0; e < ENGINE_COUNT; e++)
		gpu->blocked[e].tail = &gpu->blocked[e].head;
}

static void op_free(struct gpu_op *op)
{
	free(op->edges);
	free(op);
}

void gpu_close(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->n_streams; i++) {
		gpu_op_drop(gpu->streams[i]->tail);
		for (uint32_t w = 0; w < gpu->streams[i]->n_waits; w++)
			gpu_op_drop(gpu->streams[i]->waits[w]);
		free(gpu->streams[i]->waits);
		free(gpu->streams[i]);
	}
	free(gpu->streams);
	for (struct gpu_op *op = gpu->free, *next; op; op = next) {
		next = op->next;
		op_free(op);
	}
}

struct gpu_stream *gpu_stream_new(struct gpu *gpu, int64_t number, enum gpu_stream_kind kind)
{
	gpu->streams =
		room_for(gpu->streams, gpu->n_streams, &gpu->streams_room, 4, sizeof(*gpu->streams));
	struct gpu_stream *stream = must(calloc(1, sizeof(*stream)));
	*stream = (struct gpu_stream){.gpu = gpu, .number = number, .stream_kind = kind};
	return gpu->streams[gpu->n_streams++] = stream;
}

/* ---- ops and their lives ---- */

struct gpu_op *gpu_op_new(struct gpu_stream *stream, enum gpu_op_kind kind, enum gpu_engine engine)
{
	struct gpu *gpu = stream->gpu;
	struct gpu_op *op = gpu->free;
	struct gpu_edge *edges = NULL;
	uint32_t room = 0;
	if (op) {
		gpu->free = op->next;
		edges = op->edges;
		room = op->edges_room;
	} else {
		op = must(malloc(sizeof(*op)));
	}
	*op = (struct gpu_op){.gpu = gpu,
						  .stream = stream,
						  .kind = (uint8_t)kind,
						  .engine = (uint8_t)engine,
						  .share = GPU_SHARE_ALL,
						  .number = gpu->made++,
						  .edges = edges,
						  .edges_room = room,
						  .waits = 1,
						  .refs = 1,
						  .queued = kind <= GPU_NCCL,
						  .last = LAST_LAUNCH};
	return op;
}

struct gpu_op *gpu_op_hold(struct gpu_op *op)
{
	if (op)
		op->refs++;
	return op;
}

void gpu_op_drop(struct gpu_op *op)
{
	while (op && --op->refs == 0) { /* what it held may have been held by it alone */
		struct gpu_op *last = op->last_op;
		op->last_op = NULL;
		op->next = op->gpu->free;
		op->gpu->free = op;
		op = last;
	}
}

void gpu_watch(struct gpu_op *op, void (*fire)(void *who, struct gpu_op *ended), void *who)
{
	if (!op || op->ended) {
		fire(who, op);
		return;
	}
	op->edges = room_for(op->edges, op->n_edges, &op->edges_room, 2, sizeof(*op->edges));
	op->edges[op->n_edges++] = (struct gpu_edge){fire, who};
}

static void set_last(struct gpu_op *op, enum gpu_last last, struct gpu_op *what)
{
	if (what && what->kind == GPU_JOIN && what->last_op) /* a join is nobody: who held it up? */
		what = what->last_op;
	gpu_op_hold(what);
	gpu_op_drop(op->last_op);
	op->last_op = what;
	op->last = (uint8_t)last;
}

/* ---- start and end ---- */

static void end(void *who);

static void start(void *who)
{
	struct gpu_op *op = who;
	struct gpu *gpu = op->gpu;
	op->start_ns = gpu->agenda->now_ns;
	op->started = true;
	gpu->hooks->starting(op);
	gpu->busy += gpu_op_is_work(op);
	if (op->kind != GPU_HOST_FUNC && op->kind != GPU_JOIN) {
		gpu_op_drop(op->last_op);
		op->last_op = NULL;
	}
	if (op->queued) {
		gpu->queued--;
		if (gpu->slot_free)
			gpu->slot_free(gpu);
	}
	if (op->external)
		gpu->hooks->meet(op);
	else if (op->kind == GPU_JOIN)
		end(op);
	else
		agenda_add(gpu->agenda, op->start_ns + op->dur_ns, end, op);
}

static bool engine_free(const struct gpu_op *op)
{
	const struct gpu *gpu = op->gpu;
	if (op->engine == ENGINE_NONE)
		return true;
	if (op->engine != ENGINE_COMPUTE)
		return gpu->used[op->engine] == 0;
	return gpu->used[ENGINE_COMPUTE] == 0 || gpu->used[ENGINE_COMPUTE] + op->share <= GPU_SHARE_ALL;
}

/* When the other process's slice is over; what was queued when the GPU ran idle goes on. */
static int64_t slice_end(const struct gpu_op *op)
{
	const struct gpu *gpu = op->gpu;
	const int64_t now_ns = gpu->agenda->now_ns, idle_ns = now_ns - gpu->idle_from_ns;
	if (gpu->slice_ns == 0 || gpu->busy > 0 || gpu->idle_from_ns < 0 || !gpu_op_is_work(op) ||
		op->arrival_ns <= gpu->idle_from_ns || op->kept_from_ns)
		return now_ns;
	return now_ns + (gpu->slice_ns - idle_ns % gpu->slice_ns) % gpu->slice_ns;
}

static void ready(void *who)
{
	struct gpu_op *op = who;
	const int64_t free_ns = slice_end(op);
	if (free_ns > op->gpu->agenda->now_ns) {
		op->kept_from_ns = op->gpu->agenda->now_ns;
		agenda_add(op->gpu->agenda, free_ns, ready, op);
		return;
	}
	struct gpu_list *blocked = &op->gpu->blocked[op->engine];
	if (engine_free(op) && (op->engine == ENGINE_NONE || !blocked->head)) {
		op->gpu->used[op->engine] += op->share;
		start(op);
		return;
	}
	op->next = NULL;
	*blocked->tail = op;
	blocked->tail = &op->next;
}

/* `ended` gave its engine back: the first that waits for it goes on. */
static void release_engine(struct gpu_op *ended)
{
	struct gpu *gpu = ended->gpu;
	struct gpu_list *blocked = &gpu->blocked[ended->engine];
	gpu->used[ended->engine] -= ended->share;
	if (ended->engine == ENGINE_NONE)
		return;
	for (struct gpu_op *op; (op = blocked->head) && engine_free(op);) {
		blocked->head = op->next;
		if (!blocked->head)
			blocked->tail = &blocked->head;
		gpu->used[op->engine] += op->share;
		set_last(op, LAST_ENGINE, ended);
		agenda_add(gpu->agenda, gpu->agenda->now_ns + gpu->hooks->gap_ns(op, ended), start, op);
	}
}

static void end_at(struct gpu_op *op, int64_t end_ns)
{
	struct gpu *gpu = op->gpu;
	op->end_ns = end_ns;
	op->ended = true;
	if (gpu_op_is_work(op) && --gpu->busy == 0)
		gpu->idle_from_ns = op->end_ns;
	gpu->hooks->ended(op);
	release_engine(op);
	for (uint32_t i = 0; i < op->n_edges; i++) {
		struct gpu_edge edge = op->edges[i];
		edge.fire(edge.who, op);
	}
	op->n_edges = 0;
	if (op->stream->tail == op) {
		gpu_op_drop(op);
		op->stream->tail = NULL;
	}
	gpu_op_drop(op);
}

static void end(void *who)
{
	struct gpu_op *op = who;
	end_at(op, op->gpu->agenda->now_ns);
}

void gpu_finish(struct gpu_op *op, int64_t end_ns)
{
	end_at(op, end_ns);
}

/* ---- what an op waits for ---- */

static void arrive(struct gpu_op *op)
{
	if (op->arrival_ns >= op->ready_ns) {
		op->ready_ns = op->arrival_ns;
		set_last(op, LAST_LAUNCH, NULL);
	}
	if (op->ready_ns < op->gpu->agenda->now_ns)
		op->ready_ns = op->gpu->agenda->now_ns;
	agenda_add(op->gpu->agenda, op->ready_ns, ready, op);
}

static void prerequisite_over(void *who, struct gpu_op *ended)
{
	struct gpu_op *op = who;
	int64_t at = ended->end_ns;
	if (op->kind != GPU_JOIN)
		at += op->gpu->hooks->gap_ns(op, ended);
	if (at > op->ready_ns || !op->last_op) {
		op->ready_ns = at > op->ready_ns ? at : op->ready_ns;
		set_last(op, LAST_OP, ended);
	}
	if (--op->waits == 0)
		arrive(op);
}

void gpu_op_after(struct gpu_op *op, struct gpu_op *before)
{
	if (!before || before->ended)
		return;
	op->waits++;
	gpu_watch(before, prerequisite_over, op);
}

static void submitted(struct gpu_op *op)
{
	op->gpu->queued += op->queued;
	if (--op->waits == 0)
		arrive(op);
}

void gpu_submit_node(struct gpu_op *op)
{
	submitted(op);
}

/* The legacy default stream and the blocking ones wait for each other. */
static bool ordered(const struct gpu_stream *a, const struct gpu_stream *b)
{
	return (a->stream_kind == STREAM_LEGACY && b->stream_kind == STREAM_BLOCKING) ||
		   (a->stream_kind == STREAM_BLOCKING && b->stream_kind == STREAM_LEGACY);
}

void gpu_submit(struct gpu_op *op)
{
	struct gpu_stream *stream = op->stream;
	struct gpu *gpu = op->gpu;
	gpu_op_after(op, stream->tail);
	for (uint32_t i = 0; i < stream->n_waits; i++) {
		gpu_op_after(op, stream->waits[i]);
		gpu_op_drop(stream->waits[i]);
	}
	stream->n_waits = 0;
	for (uint32_t i = 0; i < gpu->n_streams; i++)
		if (ordered(stream, gpu->streams[i]))
			gpu_op_after(op, gpu->streams[i]->tail);
	gpu_op_drop(stream->tail);
	stream->tail = gpu_op_hold(op);
	submitted(op);
}

void gpu_stream_wait(struct gpu_stream *stream, struct gpu_op *op)
{
	if (!op || op->ended)
		return;
	stream->waits =
		room_for(stream->waits, stream->n_waits, &stream->waits_room, 4, sizeof(*stream->waits));
	stream->waits[stream->n_waits++] = gpu_op_hold(op);
}
