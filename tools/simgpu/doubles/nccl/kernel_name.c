#include "doubles/nccl/kernel_name.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "doubles/nccl/reduce.h"

enum { NAMES = 128, NAME_BYTES = 128 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[NAMES][NAME_BYTES];

static const char *const functions[] = {[TASK_ALLREDUCE] = "AllReduce",
										[TASK_REDUCE] = "Reduce",
										[TASK_BROADCAST] = "Broadcast",
										[TASK_ALLGATHER] = "AllGather",
										[TASK_REDUCESCATTER] = "ReduceScatter"};

static const char *reduction(const struct task *task)
{
	bool whole = task->type <= ncclUint64;

	if (task->scaled)
		return "PreMulSum";
	switch (task->op) {
	case ncclProd:
		return "Prod";
	case ncclMax:
	case ncclMin:
		return "MinMax";
	case ncclAvg: /* floats are divided before, integers after */
		return whole ? "SumPostDiv" : "PreMulSum";
	default:
		return "Sum";
	}
}

static void plain_name(char *out, size_t room, const struct task *task)
{
	switch (task->kind) {
	case TASK_SEND:
	case TASK_RECV:
		snprintf(out, room, "ncclDevKernel_SendRecv");
		break;
	case TASK_BROADCAST:
	case TASK_ALLGATHER:
		snprintf(out, room, "ncclDevKernel_%s_RING_LL", functions[task->kind]);
		break;
	default:
		snprintf(out, room, "ncclDevKernel_%s_%s_%s_RING_LL", functions[task->kind],
				 reduction(task), reduce_type_name(task->type));
	}
}

static const char *intern(const char *name)
{
	const char *found = "_Z15ncclDevKernel_A24ncclDevKernelArgsStorageILm4096EE";

	pthread_mutex_lock(&lock);
	for (int i = 0; i < NAMES; i++) {
		if (!names[i][0])
			memcpy(names[i], name, strlen(name) + 1);
		if (!strcmp(names[i], name)) {
			found = names[i];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

const char *kernel_name(const struct task *task)
{
	char plain[64], mangled[NAME_BYTES];

	plain_name(plain, sizeof plain, task);
	snprintf(mangled, sizeof mangled, "_Z%zu%.63s24ncclDevKernelArgsStorageILm4096EE",
			 strlen(plain), plain);
	return intern(mangled);
}
