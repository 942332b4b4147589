/* The engine's own account of idle time: for every moment at which a device had nothing to run, the
 * cause that held up its next op. It is made from the events that were executed, and knows nothing
 * of how the reducer explains the same trace. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H
#define SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H

#include "virtual/account/log.h"

#include <stddef.h>
#include <stdint.h>

struct gpu_op;

#define ACCOUNT_QUEUE 1000 /* launches that a device's queue holds */

struct idle {
	int64_t from_ns, to_ns;
	uint32_t cause;
};

struct account_span {
	int64_t from_ns, to_ns;
};

struct account {                      /* of a device */
	uint32_t number;                  /* of its process's devices */
	int64_t starts_ns[ACCOUNT_QUEUE]; /* of the last ops */
	uint64_t n_starts;
	struct idle *idle;
	size_t n;
	uint32_t room;
	uint32_t n_work, n_nccl; /* ops that run */
	/* The device ran collectives alone, and none of them moved data: all of them waited. */
	struct account_span *bare;
	size_t n_bare;
	uint32_t bare_room;
	int64_t bare_from_ns;   /* 0: something else runs, or nothing */
	int64_t *step_end_ns;   /* of the last op launched in the step; [0]: before the first */
	int64_t *step_begin_ns; /* of the first launch of the step; [0] unused */
	int32_t n_steps;
	int64_t first_ns, last_ns; /* hull */
};

/* The device of `op` had nothing to run in [from, op->start). */
void account_idle(struct account *account, const struct gpu_op *op, int64_t from_ns);
/* An op of the device has started. */
void account_start(struct account *account, const struct gpu_op *op);
/* An op of the device has ended. */
void account_op(struct account *account, const struct gpu_op *op);
/* For how long in [from_ns, to_ns) the device only waited for members of collectives. No op has
 * started or ended after to_ns. */
int64_t account_bare(const struct account *account, int64_t from_ns, int64_t to_ns);

#endif
