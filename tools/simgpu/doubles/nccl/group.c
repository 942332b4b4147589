#include "doubles/nccl/group.h"

#include <stdlib.h>

#include "doubles/nccl/comm.h"
#include "doubles/nccl/kernel.h"

struct deferred {
	struct deferred *next;
	ncclResult_t (*finish)(void *);
	void *what;
};

static _Thread_local struct {
	unsigned depth;
	ncclResult_t error;
	struct plan *first, *last;
	struct deferred *begun, *latest;
} group;

void group_begin(void)
{
	group.depth++;
}

bool group_is_open(void)
{
	return group.depth > 0;
}

ncclResult_t group_result(ncclResult_t result)
{
	if (result != ncclSuccess && result != ncclInProgress && group.error == ncclSuccess &&
		group.depth)
		group.error = result;
	return result;
}

ncclResult_t group_defer(ncclResult_t (*finish)(void *), void *what)
{
	struct deferred *deferred = malloc(sizeof *deferred);

	if (!deferred)
		return comm_refuse(ncclSystemError, "out of memory");
	*deferred = (struct deferred){.finish = finish, .what = what};
	if (group.latest)
		group.latest->next = deferred;
	else
		group.begun = deferred;
	group.latest = deferred;
	return ncclSuccess;
}

static struct plan *plan_for(const struct task *task)
{
	struct plan *plan;

	for (plan = group.first; plan; plan = plan->next)
		if (plan->comm == task->comm && plan->stream == task->stream)
			return plan;
	plan = plan_make(task->comm, task->stream);
	if (!plan)
		return NULL;
	if (group.last)
		group.last->next = plan;
	else
		group.first = plan;
	group.last = plan;
	return plan;
}

ncclResult_t group_add(const struct task *task)
{
	struct plan *plan = plan_for(task);
	struct task *copy = plan ? malloc(sizeof *copy) : NULL;

	if (!copy)
		return comm_refuse(ncclSystemError, "out of memory");
	*copy = *task;
	plan_add(plan, copy);
	return ncclSuccess;
}

static struct plan *pop_plan(void)
{
	struct plan *plan = group.first;

	if (plan) {
		group.first = plan->next;
		plan->next = NULL;
		if (!group.first)
			group.last = NULL;
	}
	return plan;
}

static ncclResult_t finish_deferred(void)
{
	ncclResult_t result = ncclSuccess;
	struct deferred *next;

	for (struct deferred *deferred = group.begun; deferred; deferred = next) {
		ncclResult_t one = deferred->finish(deferred->what);

		if (result == ncclSuccess)
			result = one;
		next = deferred->next;
		free(deferred);
	}
	group.begun = group.latest = NULL;
	return result;
}

static ncclResult_t close_group(void)
{
	ncclResult_t error = group.error;

	group.error = ncclSuccess;
	return error;
}

ncclResult_t group_end(void)
{
	ncclResult_t error, finished;
	struct plan *plan;

	if (!group.depth)
		return comm_refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
	if (--group.depth)
		return ncclSuccess;
	finished = finish_deferred();
	error = close_group();
	if (error == ncclSuccess && finished != ncclInProgress)
		error = finished;
	while ((plan = pop_plan())) {
		if (error == ncclSuccess && plan->first)
			error = kernel_launch(plan);
		else
			plan_free(plan);
	}
	return error == ncclSuccess ? finished : error;
}

ncclResult_t group_estimate(int64_t *ns)
{
	struct plan *plan;
	ncclResult_t error;

	*ns = 0;
	if (!group.depth)
		return comm_refuse(ncclInvalidUsage, "ncclGroupSimulateEnd without ncclGroupStart");
	if (--group.depth)
		return ncclSuccess;
	finish_deferred();
	error = close_group();
	while ((plan = pop_plan())) {
		*ns += kernel_transfer_ns(plan);
		plan_free(plan);
	}
	return error;
}
