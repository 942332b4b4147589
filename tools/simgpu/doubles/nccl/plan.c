#include "doubles/nccl/plan.h"

#include <stdlib.h>

struct plan *plan_make(struct ncclComm *comm, ncclStream_t stream)
{
	struct plan *plan = calloc(1, sizeof *plan);

	if (plan) {
		plan->comm = comm;
		plan->stream = stream;
	}
	return plan;
}

void plan_add(struct plan *plan, struct task *task)
{
	task->next = NULL;
	if (plan->last)
		plan->last->next = task;
	else
		plan->first = task;
	plan->last = task;
}

void plan_free(struct plan *plan)
{
	struct task *next;

	for (struct task *task = plan->first; task; task = next) {
		next = task->next;
		free(task);
	}
	free(plan);
}
