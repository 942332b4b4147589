/* A kernel: all tasks of a group that share communicator and stream. */
#ifndef SIMGPU_DOUBLES_NCCL_PLAN_H
#define SIMGPU_DOUBLES_NCCL_PLAN_H

#include "doubles/nccl/task.h"

struct sim_external_op;

struct plan {
	struct plan *next;
	struct ncclComm *comm;
	ncclStream_t stream;
	struct task *first, *last;
	uint64_t number; /* of this communicator */
	/* under the communicator's mutex */
	struct sim_external_op *op;
	bool started, refused;
	int64_t start_ns;
};

/* A plan without tasks; NULL when there is no memory. */
struct plan *plan_make(struct ncclComm *comm, ncclStream_t stream);
void plan_add(struct plan *plan, struct task *task);
void plan_free(struct plan *plan);

#endif
