#include "virtual/calls/calls.h"

#include "virtual/calls/call.h"
#include "virtual/calls/nccl.h"
#include "virtual/draw/rng.h"

#include <baton/format.h>

/* From the end on another device to the start here. */
#define PEER_GAP_NS 2000
/* Of an H100 (docs/GPU_RESULTS.md, section dependency): until a host function begins, and from its
 * end to the next start. */
#define HOST_FUNC_BEGIN_NS 57000
#define HOST_FUNC_GAP_NS 5700
/* Between nodes of a graph, a part of the gap between queued ops: 96 and 960 ns on an H100. */
#define NODE_GAP_PART 10

static uint32_t stream_index(const struct gpu_op *op)
{
	const struct process *process = call_device(op)->process;
	for (uint32_t i = 0; i < process->def->n_streams; i++)
		if (process->streams[i] == op->stream)
			return i;
	return 0;
}

static int64_t gap_ns(struct gpu_op *op, struct gpu_op *after)
{
	if (op->kind == GPU_HOST_FUNC)
		return HOST_FUNC_BEGIN_NS;
	if (after->kind == GPU_HOST_FUNC)
		return HOST_FUNC_GAP_NS;
	if (after->gpu != op->gpu)
		return PEER_GAP_NS;
	int64_t ns = table_draw(TABLE_QUEUED_GAP, rng_hash(op->launch.key, 3, 0, 0));
	return op->node ? ns / NODE_GAP_PART : ns;
}

static void starting(struct gpu_op *op)
{
	struct device *device = call_device(op);
	struct gpu *gpu = op->gpu;
	if (!gpu_op_is_work(op) || !device->process->world->truth)
		return;
	if (gpu->busy == 0 && gpu->idle_from_ns >= 0)
		account_idle(&device->account, op, gpu->idle_from_ns);
	account_start(&device->account, op);
}

static void op_ended(struct gpu_op *op)
{
	struct device *device = call_device(op);
	struct recorder *recorder = device->process->recorder;
	call_parted(op);
	if (op->kind == GPU_JOIN)
		return;
	if (op->kind == GPU_HOST_FUNC) {
		if (recorder)
			recorder_held_up(recorder, BATON_SYNC_HOST_FUNC, stream_index(op), op->start_ns,
							 op->end_ns);
		return;
	}
	account_op(&device->account, op);
	if (recorder)
		recorder_op(recorder, op, stream_index(op));
}

const struct gpu_hooks calls_hooks = {
	.starting = starting, .ended = op_ended, .meet = call_meet, .gap_ns = gap_ns};

static const struct call_kind *const families[] = {calls_copy, calls_launch, calls_nccl,
												   calls_plain, calls_sync};

void calls_list(instruction *calls[INSN_KINDS])
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (const struct call_kind *kind = families[f]; kind->begin; kind++)
			calls[kind->insn] = kind->begin;
}
