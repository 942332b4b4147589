/* What one call asks for, and how far it has come. */
#ifndef SIMGPU_DOUBLES_NCCL_TASK_H
#define SIMGPU_DOUBLES_NCCL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doubles/nccl/nccl.h"

/* AlltoAll, Gather and Scatter are sends and receives, as in NCCL. */
enum task_kind {
	TASK_ALLREDUCE,
	TASK_REDUCE,
	TASK_BROADCAST,
	TASK_ALLGATHER,
	TASK_REDUCESCATTER,
	TASK_SEND,
	TASK_RECV
};

struct task {
	struct task *next;
	enum task_kind kind;
	const void *send;
	void *recv;
	size_t count;
	ncclDataType_t type;
	ncclRedOp_t op;
	int root; /* of a send or receive: the peer */
	struct ncclComm *comm;
	ncclStream_t stream;

	/* a pre-multiplied sum: the factor, or where it lies on the device */
	bool scaled;
	uint64_t factor;
	const void *factor_at;

	/* progress; the communicator's thread only */
	bool begun, done;
	bool opened;       /* the first chunk of a message is out */
	uint64_t first;    /* chunk of a collective, message of a channel that this began with */
	size_t moved;      /* bytes of a message */
	int64_t meet_ns;   /* when the last member's kernel started */
	int64_t ready_ns;  /* when the last member had its data */
	int64_t before_ns; /* transfer time of the tasks before it in its kernel */
};

static inline bool task_is_message(const struct task *task)
{
	return task->kind == TASK_SEND || task->kind == TASK_RECV;
}

#endif
