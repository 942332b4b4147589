#include "virtual/calls/call.h"

#include "virtual/draw/rng.h"
#include "virtual/machine/cpu.h"

int64_t call_draw(const struct thread *t, enum sim_table table, enum purpose purpose)
{
	return table_draw(table, thread_random(t, purpose));
}

void call_busy(struct thread *t, int64_t ns, enum cause cause, void (*then)(struct thread *))
{
	t->call_begins = true;
	cpu_busy(t, ns, cause, true, then);
}

/* The device of the context in which the call is made, + 1; 0: the instruction does not say. */
static uint32_t device_of(const struct thread *t, enum api name)
{
	const struct insn *insn = t->insn;
	const struct process *p = t->process;
	switch (insn->kind) {
	case INSN_SYNC_DEVICE:
	case INSN_MALLOC:
	case INSN_FREE:
		return insn->a + 1u;
	case INSN_RECORD:
		return p->def->streams[insn->b].device + 1u;
	case INSN_GROUP_END:
		return name == API_LAUNCH_EX ? call_device(t->op)->index - p->def->first_device + 1 : 0;
	case INSN_SYNC_EVENT:
	case INSN_MODULE_LOAD:
		return 0;
	default:
		return p->def->streams[insn->a].device + 1u;
	}
}

void call_ended(struct thread *t, enum api name, uint64_t correlation)
{
	if (t->process->recorder)
		recorder_call(t->process->recorder,
					  (struct recorder_thread_row){t->index, t->call_begin_ns, thread_now(t)},
					  (struct recorder_api){name, correlation, device_of(t, name)}, &t->log);
	if (!call_world(t)->truth &&
		t->log.n > 16) /* only the sampler asks, about the time since the last call */
		t->log.n = 0;
}

uint64_t call_correlation(struct thread *t)
{
	return ++t->process->correlation;
}
