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

void call_ended(struct thread *t, enum api name, uint64_t correlation)
{
	if (t->process->recorder)
		recorder_call(t->process->recorder,
					  (struct recorder_thread_row){t->index, t->call_begin_ns, thread_now(t)}, name,
					  correlation, &t->log);
	if (!call_world(t)->truth && t->log.n > 16) /* only the sampler asks, and only about silence */
		t->log.n = 0;
}

uint64_t call_correlation(struct thread *t)
{
	return ++t->process->correlation;
}
