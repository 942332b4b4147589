/* What every call is made of: it begins, takes CPU time, ends and leaves a row. The other files
 * are the calls; each of their functions begins an instruction and ends it later through
 * thread_next(). */
#ifndef SIMGPU_VIRTUAL_CALLS_CALL_H
#define SIMGPU_VIRTUAL_CALLS_CALL_H

#include "virtual/draw/tables.h"
#include "virtual/machine/thread.h"

enum purpose { DRAW_WORK = 1, DRAW_CALL, DRAW_FLOOR, DRAW_DURATION, DRAW_KEY, DRAW_WAKE };

static inline struct device *call_device(const struct gpu_op *op)
{
	return op->gpu->owner;
}

static inline struct world *call_world(const struct thread *t)
{
	return t->process->world;
}

int64_t call_draw(const struct thread *t, enum sim_table table, enum purpose purpose);
/* The call begins and takes that much CPU time. */
void call_busy(struct thread *t, int64_t ns, enum cause cause, void (*then)(struct thread *));
/* It ends now: its row. */
void call_ended(struct thread *t, enum api name, uint64_t correlation);
uint64_t call_correlation(struct thread *t);

#endif
