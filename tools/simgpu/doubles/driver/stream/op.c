#include "doubles/driver/stream/op.h"

#include "doubles/driver/core/counts.h"
#include "doubles/driver/core/delivery.h"
#include "doubles/driver/core/host_func.h"
#include "doubles/driver/core/host_thread.h"
#include "doubles/driver/memory/memory.h"
#include "engine/room.h"
#include "values/values.h"

#include <stdlib.h>
#include <string.h>

struct sim_external_op {
	struct gpu_op *op;
	struct sim_external external;
};

struct work { /* gpu_op.outside: what the driver knows of the op */
	struct work *next;
	struct stream *stream;
	struct sim_record record;
	void (*host)(void *data);
	void *data;
	struct sim_external_op *external;
	struct move move;          /* width 0: none waits for the op */
	void *staging;             /* the source, when it is a copy of the caller's bytes */
	struct computed *computed; /* what waits for the op to be worked out */
};

static struct work *free_work;

/* ---- what the GPU tells the driver ---- */

static void starting(struct gpu_op *op)
{
	(void)op;
	core.progress = true; /* a place in the queue is free */
}

static void move_at_end(struct work *work)
{
	op_move(&work->move);
	free(work->staging);
	work->move.width = 0;
	core.moves--;
}

static void compute_at_end(struct work *work)
{
	values_run(work->computed);
	computed_free(work->computed);
	core.moves--;
}

static void ended(struct gpu_op *op)
{
	struct work *work = op->outside;
	core.progress = true;
	if (op->external)
		core.outside--;
	gpu_op_drop(op->last_op); /* nobody asks; held, host functions would chain up */
	op->last_op = NULL;
	if (!work)
		return;
	if (work->move.width)
		move_at_end(work);
	if (work->computed)
		compute_at_end(work);
	if (gpu_op_is_work(op)) {
		counts_op(work->stream->count);
		if (work->record.kind == SIM_KERNEL)
			counts_kernel(work->record.name);
		work->record.start_ns = op->start_ns;
		work->record.end_ns = op->end_ns;
		delivery_record(&work->record);
	}
	op->outside = NULL;
	work->next = free_work;
	free_work = work;
}

static void end_now(void *who)
{
	gpu_finish(who, core.agenda.now_ns);
}

/* Ends an op whose end comes from outside, at end_ns, now or later. */
static void finish(struct gpu_op *op, int64_t end_ns)
{
	if (end_ns <= core.agenda.now_ns)
		gpu_finish(op, end_ns);
	else
		agenda_add(&core.agenda, end_ns, end_now, op);
}

static void host_func_over(void *who)
{
	struct gpu_op *op = who;
	finish(op, core.agenda.now_ns);
}

static void meet(struct gpu_op *op)
{
	struct work *work = op->outside;
	if (work->external)
		delivery_started(&work->external->external, op->start_ns);
	else
		host_func_run(work->host, work->data, host_func_over, op);
}

/* The thread of host functions is woken then, and the next op is so far away when it is through. */
static int64_t gap_ns(struct gpu_op *op, struct gpu_op *after)
{
	if (op->kind == GPU_HOST_FUNC)
		return settings()->host_func_ns;
	if (after->kind == GPU_HOST_FUNC)
		return settings()->host_func_ns / 10;
	if (after->kind == GPU_JOIN && after->last == LAST_LAUNCH)
		return 0; /* it stands for an arrival */
	return op->node ? settings()->graph_gap_ns : settings()->gap_ns;
}

const struct gpu_hooks op_hooks = {starting, ended, meet, gap_ns};

/* ---- ops ---- */

static struct work *new_work(struct stream *stream, const struct plan *plan)
{
	struct work *work = free_work;
	if (work)
		free_work = work->next;
	else
		work = must(malloc(sizeof(*work)));
	work->stream = stream;
	work->record = plan->record;
	work->record.device = (uint32_t)stream->context->device;
	work->record.context = stream->context->id;
	work->record.stream = stream->id;
	work->record.correlation = host_thread()->correlation;
	work->host = plan->host;
	work->data = plan->data;
	work->external = NULL;
	work->move.width = 0;
	work->computed = NULL;
	return work;
}

static int64_t scaled(const struct stream *stream, const struct plan *plan)
{
	int64_t slow = settings()->slow[stream->context->device];
	if (slow == 1000 || plan->kind == GPU_COPY)
		return plan->dur_ns;
	return plan->dur_ns * slow / 1000;
}

struct gpu_op *op_new(struct stream *stream, const struct plan *plan)
{
	struct gpu_op *op = gpu_op_new(stream->gpu_stream, plan->kind, plan->engine);
	struct work *work = new_work(stream, plan);
	host_thread()->ops += !plan->host;
	op->outside = work;
	op->dur_ns = scaled(stream, plan);
	op->share = plan->share ? plan->share : GPU_SHARE_ALL;
	op->arrival_ns = core.agenda.now_ns + settings()->latency_ns;
	if (plan->external) {
		work->external = must(malloc(sizeof(*work->external)));
		*work->external = (struct sim_external_op){op, *plan->external};
	}
	if (plan->external || plan->host) {
		op->external = true;
		core.outside++;
	}
	return op;
}

struct gpu_op *op_mark(struct stream *stream, struct gpu_op *after, bool travels)
{
	struct gpu_op *op = gpu_op_new(stream->gpu_stream, GPU_JOIN, ENGINE_NONE);
	op->arrival_ns = core.agenda.now_ns + (travels ? settings()->latency_ns : 0);
	gpu_op_after(op, after);
	gpu_submit(op);
	return op;
}

static bool has_place(void *who)
{
	return ((struct gpu *)who)->queued < GPU_QUEUE_DEPTH && delivery_behind() < DELIVERY_ROOM;
}

void op_wait_for_place(struct context *context)
{
	if (has_place(&context->gpu))
		return;
	const int64_t from_ns = core_now();
	const bool full = context->gpu.queued >= GPU_QUEUE_DEPTH; /* else what delivers is late */
	core_wait(has_place, &context->gpu, INT64_MAX);
	if (!full)
		return;
	host_thread()->full_from_ns = from_ns;
	host_thread()->full_to_ns = core_now();
}

/* ---- external ops ---- */

struct sim_external_op *op_external(const struct gpu_op *op)
{
	return ((const struct work *)op->outside)->external;
}

void simgpu_end_external(struct sim_external_op *external, int64_t end_ns)
{
	core_lock();
	finish(external->op, end_ns);
	core_unlock();
	free(external);
}

/* ---- bytes ---- */

bool op_moves_later(void)
{
	return core.outside || core.moves;
}

void op_move_later(struct gpu_op *op, const struct move *move, bool staged)
{
	struct work *work = op->outside;
	work->move = *move;
	work->staging = NULL;
	if (staged && move->source) {
		uint8_t *copy = work->staging = must(malloc(move->width * move->height));
		for (size_t row = 0; row < move->height; row++)
			memcpy(copy + row * move->width,
				   (const uint8_t *)move->source + row * move->source_pitch, move->width);
		work->move.source = copy;
		work->move.source_pitch = move->width;
	}
	core.moves++;
}

static void fill(uint8_t *target, const struct move *move)
{
	if (!move->value)
		memory_zero(target, move->width);
	else if (move->element == 1)
		memset(target, (int)move->value, move->width);
	else
		for (size_t i = 0; i + move->element <= move->width; i += move->element)
			memcpy(target + i, &move->value, move->element);
}

void op_move(const struct move *move)
{
	for (size_t row = 0; row < move->height; row++) {
		uint8_t *target = (uint8_t *)move->target + row * move->target_pitch;
		if (move->source)
			memmove(target, (const uint8_t *)move->source + row * move->source_pitch, move->width);
		else
			fill(target, move);
	}
}

void op_compute(struct gpu_op *op, struct computed *computed)
{
	struct work *work = op->outside;
	if (op_moves_later()) {
		work->computed = computed;
		core.moves++;
		return;
	}
	values_run(computed);
	computed_free(computed);
}
