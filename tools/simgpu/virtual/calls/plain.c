/* Calls that only take time: allocation, loading of modules, events. */
#include "engine/room.h"
#include "virtual/calls/call.h"
#include "virtual/machine/cpu.h"

#include <baton/format.h>
#include <stdlib.h>

#define LONG_LOAD_NS 1000000

static void malloc_done(struct thread *t)
{
	call_ended(t, API_MALLOC, 0);
	thread_next(t);
}

static void call_malloc(struct thread *t)
{
	call_busy(t, t->insn->c, CAUSE_ALLOC, malloc_done);
}

static void module_loaded(struct thread *t)
{
	int32_t step = t->process->step;
	if (step >= 0 && step < (int32_t)call_world(t)->script->n_steps && t->insn->c >= LONG_LOAD_NS)
		t->process->loads[step] = 1;
	call_ended(t, API_MODULE_LOAD, 0);
	thread_next(t);
}

static void call_module_load(struct thread *t)
{
	call_busy(t, t->insn->c, CAUSE_MODULE_LOAD, module_loaded);
}

/* The call's row, and one that says which event of which stream. */
static void event_row(struct thread *t, enum api name, uint32_t stream, uint32_t event)
{
	struct recorder_event_row row = {stream, event, call_correlation(t)};
	unsigned kind = name == API_EVENT_RECORD ? BATON_SYNC_EVENT_RECORD : BATON_SYNC_STREAM_WAIT;
	call_ended(t, name, row.correlation);
	if (t->process->recorder)
		recorder_event(t->process->recorder,
					   (struct recorder_thread_row){t->index, t->call_begin_ns, thread_now(t)},
					   kind, &row);
}

static void recorded(struct thread *t)
{
	struct gpu_op **event = &t->process->events[t->insn->a];
	gpu_op_drop(*event);
	*event = gpu_op_hold(t->process->streams[t->insn->b]->tail);
	event_row(t, API_EVENT_RECORD, t->insn->b, t->insn->a);
	thread_next(t);
}

static void call_record(struct thread *t)
{
	call_busy(t, call_draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_API, recorded);
}

struct peer_wait { /* the stream waits for an op of another device */
	struct thread *thread;
	uint32_t stream;
	int64_t from_ns;
};

static void peer_over(void *who, struct gpu_op *ended)
{
	struct peer_wait *wait = who;
	if (ended)
		recorder_held_up(wait->thread->process->recorder, BATON_SYNC_PEER, wait->stream,
						 wait->from_ns, ended->end_ns);
	free(wait);
}

static void stream_waits(struct thread *t)
{
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	struct gpu_op *op = t->process->events[t->insn->b];
	gpu_stream_wait(stream, op);
	if (op && !op->ended && op->gpu != stream->gpu && t->process->recorder) {
		struct peer_wait *wait = must(malloc(sizeof(*wait)));
		*wait = (struct peer_wait){t, t->insn->a, thread_now(t)};
		gpu_watch(op, peer_over, wait);
	}
	event_row(t, API_STREAM_WAIT, t->insn->a, t->insn->b);
	thread_next(t);
}

static void call_wait(struct thread *t)
{
	call_busy(t, call_draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_API, stream_waits);
}

const struct call_kind calls_plain[] = {
	{INSN_MALLOC, call_malloc},
	{INSN_MODULE_LOAD, call_module_load},
	{INSN_RECORD, call_record},
	{INSN_WAIT, call_wait},
	{0},
};
