#include "virtual/calls/sync.h"

#include "virtual/calls/call.h"
#include "virtual/machine/cpu.h"

static void sync_returns(struct thread *t)
{
	enum api name = API_STREAM_SYNC;
	uint64_t correlation = 0;
	switch (t->insn->kind) {
	case INSN_COPY:
		name = API_MEMCPY;
		correlation = t->op->launch.correlation;
		t->op->launch.call_end_ns = thread_now(t);
		gpu_op_drop(t->op);
		break;
	case INSN_SYNC_DEVICE:
		name = API_DEVICE_SYNC;
		break;
	case INSN_SYNC_EVENT:
		name = API_EVENT_SYNC;
		break;
	case INSN_FREE:
		name = API_FREE;
		break;
	default:
		break;
	}
	call_ended(t, name, correlation);
	thread_next(t);
}

/* What the thread waited for is over; it takes a while to notice. */
void call_device_reached(void *who, struct gpu_op *op)
{
	struct thread *t = who;
	(void)op;
	enum cause cause = t->insn->kind == INSN_FREE ? CAUSE_ALLOC : CAUSE_SYNC;
	log_add(&t->log, t->asked_ns, thread_now(t), cause, NULL);
	int64_t ns = t->insn->kind == INSN_FREE ? t->insn->c : call_draw(t, TABLE_SYNC_WAKE, DRAW_WAKE);
	cpu_busy(t, ns, cause, false, sync_returns); /* CUDA knows no GIL */
}

/* Waits for the tails of all streams of a device, one after the other. */
static void wait_for_streams(void *who, struct gpu_op *ended)
{
	struct thread *t = who;
	struct gpu *gpu = &t->process->devices[t->insn->a].gpu;
	(void)ended;
	for (uint32_t i = 0; i < gpu->n_streams; i++)
		if (gpu->streams[i]->tail && !gpu->streams[i]->tail->ended) {
			gpu_watch(gpu->streams[i]->tail, wait_for_streams, t);
			return;
		}
	call_device_reached(t, NULL);
}

static void sync_waits(struct thread *t)
{
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	switch (t->insn->kind) {
	case INSN_SYNC_STREAM:
		gpu_watch(t->process->streams[t->insn->a]->tail, call_device_reached, t);
		break;
	case INSN_SYNC_EVENT:
		gpu_watch(t->process->events[t->insn->a], call_device_reached, t);
		break;
	default:
		wait_for_streams(t, NULL);
	}
}

static void call_sync(struct thread *t)
{
	call_busy(t, call_draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_SYNC, sync_waits);
}

static void call_free(struct thread *t)
{
	call_busy(t, call_draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_ALLOC, sync_waits);
}

const struct call_kind calls_sync[] = {
	{INSN_SYNC_STREAM, call_sync},
	{INSN_SYNC_DEVICE, call_sync},
	{INSN_SYNC_EVENT, call_sync},
	{INSN_FREE, call_free},
	{0},
};
