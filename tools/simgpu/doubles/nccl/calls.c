/* The exported calls that move data: each makes tasks and closes a group of its own. */
#include <stdint.h>
#include <string.h>

#include "doubles/doubles.h"
#include "doubles/nccl/comm.h"
#include "doubles/nccl/context.h"
#include "doubles/nccl/exported.h"
#include "doubles/nccl/group.h"
#include "doubles/nccl/nccl.h"
#include "doubles/nccl/reduce.h"

static ncclResult_t check_comm(const struct ncclComm *comm)
{
	ncclResult_t error;

	if (!comm)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	error = (ncclResult_t)atomic_load(&comm->error);
	if (error)
		return comm_refuse(error, "the communicator has failed: %s", comm->text);
	if (!atomic_load(&comm->joined))
		return comm_refuse(ncclInvalidArgument, "the communicator is not ready");
	return ncclSuccess;
}

static bool default_stream(ncclStream_t stream)
{
	return (uintptr_t)stream <= 2; /* NULL, cudaStreamLegacy, cudaStreamPerThread */
}

static ncclResult_t check_buffers(const struct task *task)
{
	bool root = task->root == task->comm->rank;
	bool sends = task->kind != TASK_RECV && (task->kind != TASK_BROADCAST || root);
	bool receives = task->kind != TASK_SEND && (task->kind != TASK_REDUCE || root);

	if (task->count && ((sends && !task->send) || (receives && !task->recv)))
		return comm_refuse(ncclInvalidArgument, "a buffer is NULL");
	return ncclSuccess;
}

static bool reduces(enum task_kind kind)
{
	return kind == TASK_ALLREDUCE || kind == TASK_REDUCE || kind == TASK_REDUCESCATTER;
}

/* A custom operator becomes a sum of what was multiplied before. */
static ncclResult_t resolve_op(struct task *task)
{
	int custom = (int)task->op - COMM_FIRST_OP;
	const struct comm_op *op = &task->comm->op[custom < 0 || custom >= COMM_OPS ? 0 : custom];

	if (!reduces(task->kind))
		return ncclSuccess;
	if (!reduce_can(task->type))
		return comm_refuse(ncclInvalidArgument, "the double does not reduce 8-bit floats");
	if (custom < 0)
		return (int)task->op >= 0 ? ncclSuccess : comm_refuse(ncclInvalidArgument, "no such op");
	if (custom >= COMM_OPS || !op->used || op->type != task->type)
		return comm_refuse(ncclInvalidArgument, "op %d was not made for this type", (int)task->op);
	task->op = ncclSum;
	task->scaled = true;
	task->factor = op->factor;
	task->factor_at = op->factor_at;
	return ncclSuccess;
}

static ncclResult_t check(struct task *task)
{
	ncclResult_t result = check_comm(task->comm);

	if (result)
		return result;
	if (!reduce_type_bytes(task->type))
		return comm_refuse(ncclInvalidArgument, "%d is no data type", (int)task->type);
	if (task->root < 0 || task->root >= task->comm->ranks)
		return comm_refuse(ncclInvalidArgument, "rank %d is not among %d", task->root,
						   task->comm->ranks);
	if (!default_stream(task->stream) && simgpu_stream_device(task->stream) != task->comm->device)
		return comm_refuse(ncclInvalidArgument, "the stream is not of device %d",
						   task->comm->device);
	result = check_buffers(task);
	return result ? result : resolve_op(task);
}

/* One rank has nobody to talk to: a copy, or nothing. */
static ncclResult_t copy_alone(const struct task *task)
{
	size_t bytes = task->count * reduce_type_bytes(task->type);
	bool entered;
	int status;

	if (task->send == task->recv)
		return ncclSuccess;
	entered = context_enter(task->comm->device);
	status = context_copy(task->recv, task->send, bytes, task->stream);
	if (entered)
		context_leave();
	return status ? comm_refuse(ncclUnhandledCudaError, "the copy failed with %d", status)
				  : ncclSuccess;
}

/* What a reduction or a gathering makes of bytes that nobody put there is no result either. Of what
 * is gathered the beginning counts: PyTorch makes objects as long as the longest of all ranks. */
static void note_contents(const struct task *task)
{
	size_t bytes = task->count * reduce_type_bytes(task->type);
	bool gathers = task->kind == TASK_ALLGATHER;
	bool known =
		(!reduces(task->kind) && !gathers) || simgpu_known(task->send, gathers ? 1 : bytes);

	if (task->recv && task->kind != TASK_SEND)
		simgpu_wrote(task->recv, gathers ? bytes * (size_t)task->comm->ranks : bytes, known);
}

static ncclResult_t add(struct task task)
{
	ncclResult_t result = check(&task);

	if (result)
		return group_result(result);
	if (!task_is_message(&task) && !task.count)
		return ncclSuccess; /* as NCCL: no kernel */
	if (!task_is_message(&task) && task.comm->ranks == 1 && !task.scaled)
		return group_result(copy_alone(&task));
	note_contents(&task);
	return group_result(group_add(&task));
}

static ncclResult_t submit(struct task task)
{
	ncclResult_t added, ended;

	group_begin();
	added = add(task);
	ended = group_end();
	return added ? added : ended;
}

EXPORTED ncclResult_t pncclAllReduce(const void *send, void *recv, size_t count,
									 ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
									 ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_ALLREDUCE,
								.send = send,
								.recv = recv,
								.count = count,
								.type = type,
								.op = op,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclAllReduce);

EXPORTED ncclResult_t pncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
								  ncclRedOp_t op, int root, ncclComm_t comm, ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_REDUCE,
								.send = send,
								.recv = recv,
								.count = count,
								.type = type,
								.op = op,
								.root = root,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclReduce);

EXPORTED ncclResult_t pncclBroadcast(const void *send, void *recv, size_t count,
									 ncclDataType_t type, int root, ncclComm_t comm,
									 ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_BROADCAST,
								.send = send,
								.recv = recv,
								.count = count,
								.type = type,
								.root = root,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclBroadcast);

/* Through the dynamic linker, as the real one: an interposer sees both. */
EXPORTED ncclResult_t pncclBcast(void *buffer, size_t count, ncclDataType_t type, int root,
								 ncclComm_t comm, ncclStream_t stream)
{
	return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
WEAK_NAME(ncclBcast);

EXPORTED ncclResult_t pncclReduceScatter(const void *send, void *recv, size_t count,
										 ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
										 ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_REDUCESCATTER,
								.send = send,
								.recv = recv,
								.count = count,
								.type = type,
								.op = op,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclReduceScatter);

EXPORTED ncclResult_t pncclAllGather(const void *send, void *recv, size_t count,
									 ncclDataType_t type, ncclComm_t comm, ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_ALLGATHER,
								.send = send,
								.recv = recv,
								.count = count,
								.type = type,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclAllGather);

EXPORTED ncclResult_t pncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
								ncclComm_t comm, ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_SEND,
								.send = send,
								.count = count,
								.type = type,
								.root = peer,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclSend);

EXPORTED ncclResult_t pncclRecv(void *recv, size_t count, ncclDataType_t type, int peer,
								ncclComm_t comm, ncclStream_t stream)
{
	return submit((struct task){.kind = TASK_RECV,
								.recv = recv,
								.count = count,
								.type = type,
								.root = peer,
								.comm = comm,
								.stream = stream});
}
WEAK_NAME(ncclRecv);

/* The piece of a buffer that belongs to a rank. */
static char *piece(const void *buffer, const struct task *of, int rank)
{
	return (char *)(uintptr_t)buffer + (size_t)rank * of->count * reduce_type_bytes(of->type);
}

/* `task` towards or from one rank, with that rank's piece of the buffer when it has pieces. */
static ncclResult_t add_message(struct task task, enum task_kind kind, int peer, bool pieces)
{
	task.kind = kind;
	task.root = peer;
	if (kind == TASK_SEND && pieces && task.send)
		task.send = piece(task.send, &task, peer);
	if (kind == TASK_RECV && pieces && task.recv)
		task.recv = piece(task.recv, &task, peer);
	return add(task);
}

EXPORTED ncclResult_t pncclAlltoAll(const void *send, void *recv, size_t count, ncclDataType_t type,
									ncclComm_t comm, ncclStream_t stream)
{
	struct task task = {
		.send = send, .recv = recv, .count = count, .type = type, .comm = comm, .stream = stream};
	ncclResult_t result = check_comm(comm), ended;

	group_begin();
	group_result(result);
	for (int peer = 0; !result && peer < comm->ranks; peer++) {
		result = add_message(task, TASK_SEND, peer, true);
		if (!result)
			result = add_message(task, TASK_RECV, peer, true);
	}
	ended = group_end();
	return result ? result : ended;
}
WEAK_NAME(ncclAlltoAll);

EXPORTED ncclResult_t pncclGather(const void *send, void *recv, size_t count, ncclDataType_t type,
								  int root, ncclComm_t comm, ncclStream_t stream)
{
	struct task task = {
		.send = send, .recv = recv, .count = count, .type = type, .comm = comm, .stream = stream};
	ncclResult_t result = check_comm(comm), ended;

	group_begin();
	group_result(result);
	if (!result)
		result = add_message(task, TASK_SEND, root, false);
	for (int peer = 0; !result && comm->rank == root && peer < comm->ranks; peer++)
		result = add_message(task, TASK_RECV, peer, true);
	ended = group_end();
	return result ? result : ended;
}
WEAK_NAME(ncclGather);

EXPORTED ncclResult_t pncclScatter(const void *send, void *recv, size_t count, ncclDataType_t type,
								   int root, ncclComm_t comm, ncclStream_t stream)
{
	struct task task = {
		.send = send, .recv = recv, .count = count, .type = type, .comm = comm, .stream = stream};
	ncclResult_t result = check_comm(comm), ended;

	group_begin();
	group_result(result);
	for (int peer = 0; !result && comm->rank == root && peer < comm->ranks; peer++)
		result = add_message(task, TASK_SEND, peer, true);
	if (!result)
		result = add_message(task, TASK_RECV, root, false);
	ended = group_end();
	return result ? result : ended;
}
WEAK_NAME(ncclScatter);

EXPORTED ncclResult_t pncclGroupStart(void)
{
	group_begin();
	return ncclSuccess;
}
WEAK_NAME(ncclGroupStart);

EXPORTED ncclResult_t pncclGroupEnd(void)
{
	return group_end();
}
WEAK_NAME(ncclGroupEnd);

EXPORTED ncclResult_t pncclGroupSimulateEnd(ncclSimInfo_t *info)
{
	int64_t ns;
	ncclResult_t result = group_estimate(&ns);

	if (result == ncclSuccess && info)
		info->estimatedTime = (float)ns / 1e3f;
	return result;
}
WEAK_NAME(ncclGroupSimulateEnd);
