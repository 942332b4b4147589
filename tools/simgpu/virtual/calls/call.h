/* What every call is made of: it begins, takes CPU time, ends and leaves a row. The files beside
 * this one are the calls: each begins an instruction, ends it later through thread_next(), and is
 * listed in its file's family. */
#ifndef SIMGPU_VIRTUAL_CALLS_CALL_H
#define SIMGPU_VIRTUAL_CALLS_CALL_H

#include "virtual/draw/tables.h"
#include "virtual/machine/thread.h"
#include "virtual/record/recorder.h"

enum purpose { DRAW_WORK = 1, DRAW_CALL, DRAW_FLOOR, DRAW_DURATION, DRAW_KEY, DRAW_WAKE };

struct call_kind {
	enum insn_kind insn;
	instruction *begin;
};

/* The families, each ends with a kind without a function. */
extern const struct call_kind calls_copy[], calls_launch[], calls_nccl[], calls_plain[],
	calls_sync[];

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
