#include "virtual/calls/launch.h"

#include "engine/room.h"
#include "virtual/calls/call.h"
#include "virtual/draw/rng.h"
#include "virtual/machine/cpu.h"
#include "virtual/machine/thread.h"

#include <baton/format.h>
#include <stdlib.h>

/* From a launch's begin to its start on an idle device: 4 to 8 us on real machines. */
#define FLOOR_NS 5500
#define DOORBELL_NS 300 /* the device is told so long before the call returns */

/* The call is about to return: the op is on its way. */
void call_send(struct thread *t, struct gpu_op *op, bool as_node)
{
	int64_t now = thread_now(t);
	int64_t floor = FLOOR_NS * call_draw(t, TABLE_LAUNCH_FLOOR, DRAW_FLOOR) / SCALE_ONE;
	int64_t path = floor - table_median(TABLE_LAUNCH_CALL);
	op->launch.log = &t->log;
	op->launch.call_begin_ns = t->call_begin_ns;
	op->launch.call_end_ns = now;
	op->launch.step = t->process->step;
	op->arrival_ns = now - DOORBELL_NS + (path > 1000 ? path : 1000);
	if (as_node)
		gpu_submit_node(op);
	else
		gpu_submit(op);
}

static void op_sent(struct thread *t)
{
	struct gpu_op *op = t->op;
	call_send(t, op, false);
	call_ended(t, op->kind == GPU_NCCL ? API_LAUNCH_EX : API_LAUNCH, op->launch.correlation);
	thread_next(t);
}

/* The launch call has done its work: it returns when the queue has a place. */
void call_wait_for_place(struct thread *t, struct gpu *gpu)
{
	struct device *device = gpu->owner;
	if (gpu->queued < GPU_QUEUE_DEPTH) {
		t->then(t);
		return;
	}
	t->asked_ns = thread_now(t);
	thread_list_push(&device->launchers, t);
	cpu_spin(t);
}

static void place_found(void *who)
{
	struct thread *t = who;
	int64_t now = thread_now(t);
	log_add(&t->log, t->asked_ns, now, CAUSE_QUEUE_FULL, NULL);
	if (t->process->recorder && now > t->asked_ns)
		recorder_overhead(t->process->recorder,
						  (struct recorder_thread_row){t->index, t->asked_ns, now},
						  BATON_OVERHEAD_BUFFER_FULL);
	cpu_spin_over(t);
}

void call_slot_free(struct gpu *gpu)
{
	struct device *device = gpu->owner;
	if (gpu->queued >= GPU_QUEUE_DEPTH)
		return;
	struct thread *t = thread_list_pop(&device->launchers);
	if (t)
		agenda_add(gpu->agenda, gpu->agenda->now_ns, place_found, t);
}

static void launch_done(struct thread *t)
{
	t->then = op_sent;
	call_wait_for_place(t, t->op->gpu);
}

static void launch_begins(struct thread *t)
{
	call_busy(t, call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, launch_done);
}

static void tool_done(struct thread *t)
{
	if (t->process->recorder)
		recorder_overhead(
			t->process->recorder,
			(struct recorder_thread_row){t->index, thread_now(t) - t->process->def->launch_extra_ns,
										 thread_now(t)},
			BATON_OVERHEAD_PROFILER);
	launch_begins(t);
}

static void launch(struct thread *t)
{
	int64_t extra = t->process->def->launch_extra_ns;
	if (extra)
		cpu_busy(t, extra, CAUSE_PROFILER, true, tool_done);
	else
		launch_begins(t);
}

static int64_t kernel_duration(const struct thread *t, const struct kernel_def *def,
							   const struct device *device, uint64_t dice)
{
	const struct script *script = call_world(t)->script;
	int64_t ns = def->dur_ns;
	int64_t noise = (int64_t)def->jitter * script->noise.kernel / SCALE_ONE;
	ns += ns * (table_draw(TABLE_REPEAT, dice) - SCALE_ONE) / SCALE_ONE * noise / SCALE_ONE;
	if (def->sequence && script->sequence_spread) {
		uint64_t length =
			rng_hash(script->seed, 0x6c656e, device->index, (uint64_t)(int64_t)t->step);
		ns = ns *
			 (SCALE_ONE - script->sequence_spread +
			  (int64_t)rng_below(length, 2 * script->sequence_spread + 1)) /
			 SCALE_ONE;
	}
	ns = ns * thread_step_length(t) / SCALE_ONE * device->def->slow / SCALE_ONE;
	if (device->def->slow_name && device->def->slow_name == def->name)
		ns = ns * device->def->slow_named / SCALE_ONE;
	return ns > 500 ? ns : 500;
}

static void call_kernel(struct thread *t)
{
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	const struct kernel_def *def = &call_world(t)->script->kernels[t->insn->b];
	struct gpu_op *op = gpu_op_new(stream, GPU_KERNEL, ENGINE_COMPUTE);
	op->share = def->share;
	op->dur_ns = kernel_duration(t, def, stream->gpu->owner, thread_random(t, DRAW_DURATION));
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.name = def->name;
	op->launch.correlation = call_correlation(t);
	t->op = op;
	launch(t);
}

static void host_func_sent(struct thread *t)
{
	call_send(t, t->op, false);
	call_ended(t, API_HOST_FUNC, 0);
	thread_next(t);
}

static void call_host_func(struct thread *t)
{
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_HOST_FUNC, ENGINE_NONE);
	op->dur_ns = t->insn->c;
	op->launch.key = thread_random(t, DRAW_KEY);
	t->op = op;
	call_busy(t, call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_API, host_func_sent);
}

/* ---- graphs ---- */

static void graph_sent(struct thread *t)
{
	const struct graph_def *graph = &call_world(t)->script->graphs[t->insn->b];
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	struct gpu_op **ops = must(malloc((graph->n_nodes + 1) * sizeof(struct gpu_op *)));
	bool *followed = must(calloc(graph->n_nodes + 1, 1));
	uint64_t correlation = call_correlation(t), dice = thread_random(t, DRAW_DURATION);
	struct gpu_op *join = gpu_op_new(stream, GPU_JOIN, ENGINE_NONE);
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		const struct graph_node *node = &graph->nodes[i];
		const struct kernel_def *def = &call_world(t)->script->kernels[node->kernel];
		struct gpu_op *op = ops[i] = gpu_op_new(stream, GPU_KERNEL, ENGINE_COMPUTE);
		op->share = def->share;
		op->dur_ns = kernel_duration(t, def, stream->gpu->owner, rng_hash(dice, i, 0, 0));
		op->queued = i == 0;
		op->node = i > 0;
		op->launch.key = rng_hash(dice, i, 1, 0);
		op->launch.name = def->name;
		op->launch.correlation = correlation;
		op->launch.node = i + 1;
		gpu_op_after(op, node->after < 0 ? stream->tail : ops[node->after]);
		for (uint32_t w = 0; node->after < 0 && w < stream->n_waits; w++)
			gpu_op_after(op, stream->waits[w]);
		if (node->after >= 0)
			followed[node->after] = true;
	}
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (!followed[i])
			gpu_op_after(join, ops[i]);
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		call_send(t, ops[i], true);
	free(ops);
	free(followed);
	call_send(t, join, false);
	call_ended(t, API_GRAPH_LAUNCH, correlation);
	thread_next(t);
}

static void call_graph(struct thread *t)
{
	const struct graph_def *graph = &call_world(t)->script->graphs[t->insn->b];
	int64_t ns = 2 * call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL) + 20 * (int64_t)graph->n_nodes;
	call_busy(t, ns, CAUSE_LAUNCH_CALL, graph_sent);
}

const struct call_kind calls_launch[] = {
	{INSN_KERNEL, call_kernel},
	{INSN_HOST_FUNC, call_host_func},
	{INSN_GRAPH, call_graph},
	{0},
};
