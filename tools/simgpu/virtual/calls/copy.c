/* Copies and memsets. A pageable copy blocks its thread. */
#include "virtual/calls/call.h"
#include "virtual/calls/launch.h"
#include "virtual/calls/sync.h"
#include "virtual/machine/cpu.h"

#include <baton/format.h>

#define COPY_BYTES_PER_US 24000
#define COPY_PEER_BYTES_PER_US 120000
#define COPY_LOCAL_BYTES_PER_US 1200000
#define COPY_LEAST_NS 1500

static const struct copy {
	uint8_t engine, direction;
	bool pageable;
	uint32_t bytes_per_us;
} copies[] = {
	[COPY_HTOD_PINNED] = {ENGINE_COPY_IN, BATON_COPY_HTOD, false, COPY_BYTES_PER_US},
	[COPY_HTOD_PAGEABLE] = {ENGINE_COPY_IN, BATON_COPY_HTOD, true, COPY_BYTES_PER_US / 3},
	[COPY_DTOH_PINNED] = {ENGINE_COPY_OUT, BATON_COPY_DTOH, false, COPY_BYTES_PER_US},
	[COPY_DTOH_PAGEABLE] = {ENGINE_COPY_OUT, BATON_COPY_DTOH, true, COPY_BYTES_PER_US / 3},
	[COPY_DTOD] = {ENGINE_COPY_LOCAL, BATON_COPY_DTOD, false, COPY_LOCAL_BYTES_PER_US},
	[COPY_PEER] = {ENGINE_COPY_LOCAL, BATON_COPY_PEER, false, COPY_PEER_BYTES_PER_US}};

static void copy_sent(struct thread *t)
{
	struct gpu_op *op = t->op;
	bool blocking = op->launch.blocking;
	if (blocking)
		gpu_op_hold(op);
	call_send(t, op, false);
	if (!blocking) {
		call_ended(t, op->kind == GPU_MEMSET ? API_MEMSET_ASYNC : API_MEMCPY_ASYNC,
				   op->launch.correlation);
		thread_next(t);
		return;
	}
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	gpu_watch(op, call_device_reached, t);
}

static void copy_done(struct thread *t)
{
	t->then = copy_sent;
	call_wait_for_place(t, t->op->gpu);
}

static void call_copy(struct thread *t)
{
	const struct copy *copy = &copies[t->insn->b];
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_COPY, copy->engine);
	op->dur_ns = COPY_LEAST_NS + t->insn->c * 1000 / copy->bytes_per_us;
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.bytes = t->insn->c;
	op->launch.copy_dir = copy->direction;
	op->launch.peer = copy->direction == BATON_COPY_PEER ? (uint16_t)(t->insn->d + 1) : 0;
	op->launch.pageable = op->launch.blocking = copy->pageable;
	op->launch.correlation = call_correlation(t);
	t->op = op;
	call_busy(t, call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL),
			  copy->pageable ? CAUSE_SYNC : CAUSE_LAUNCH_CALL, copy_done);
}

static void call_memset(struct thread *t)
{
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_MEMSET, ENGINE_COMPUTE);
	op->share = GPU_SHARE_ALL / 8;
	op->dur_ns = COPY_LEAST_NS + t->insn->c * 1000 / COPY_LOCAL_BYTES_PER_US;
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.bytes = t->insn->c;
	op->launch.correlation = call_correlation(t);
	t->op = op;
	call_busy(t, call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, copy_done);
}

const struct call_kind calls_copy[] = {
	{INSN_COPY, call_copy},
	{INSN_MEMSET, call_memset},
	{0},
};
