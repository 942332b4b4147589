/* A send and its receive: chunks through the channel of the pair. The sender is done when the
 * receiver has all of it; both then know when the later of the two kernels started. */
#include "doubles/nccl/progress.h"

#include <string.h>

#include "doubles/nccl/comm.h"
#include "doubles/nccl/reduce.h"
#include "doubles/observe.h"

static size_t message_bytes(const struct task *task)
{
	return task->count * reduce_type_bytes(task->type);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* One chunk, at least: an empty message is one too. */
static bool send_chunk(struct task *task, struct board_channel *channel)
{
	uint64_t posted = atomic_load(&channel->posted);
	size_t rest = message_bytes(task) - task->moved;
	size_t bytes = rest < BOARD_MESSAGE ? rest : BOARD_MESSAGE;

	if (task->opened && rest == 0)
		return false;
	if (posted - atomic_load(&channel->taken) >= BOARD_DEPTH)
		return false;
	memcpy(channel->chunk[posted % BOARD_DEPTH], (const char *)task->send + task->moved, bytes);
	task->moved += bytes;
	task->opened = true;
	atomic_store(&channel->posted, posted + 1);
	return true;
}

static bool send_progress(struct plan *plan, struct task *task)
{
	const struct board *board = &plan->comm->board;
	struct board_channel *channel = board_channel(board, plan->comm->rank, task->root);
	bool moved = false;

	if (!task->begun) {
		task->begun = true;
		task->first = atomic_load(&channel->received);
		channel->bytes = message_bytes(task);
		channel->send_start_ns = plan->start_ns;
	}
	while (send_chunk(task, channel))
		moved = true;
	if (atomic_load(&channel->received) > task->first) {
		task->meet_ns = later(plan->start_ns, channel->recv_start_ns);
		task->ready_ns = channel->ready_ns;
		task->done = moved = true;
	}
	if (moved)
		board_ring(board, task->root);
	return moved;
}

static bool receive_chunk(struct plan *plan, struct task *task, struct board_channel *channel)
{
	uint64_t taken = atomic_load(&channel->taken);
	size_t rest = message_bytes(task) - task->moved;
	size_t bytes = rest < BOARD_MESSAGE ? rest : BOARD_MESSAGE;

	if (task->done || atomic_load(&channel->posted) == taken)
		return false;
	if (channel->bytes != message_bytes(task)) {
		comm_fail(plan->comm, ncclInvalidUsage, "rank %d sent %zu bytes, rank %d expects %zu",
				  task->root, (size_t)channel->bytes, plan->comm->rank, message_bytes(task));
		return true;
	}
	memcpy((char *)task->recv + task->moved, channel->chunk[taken % BOARD_DEPTH], bytes);
	task->moved += bytes;
	task->done = rest == bytes;
	task->meet_ns = later(plan->start_ns, channel->send_start_ns);
	atomic_store(&channel->taken, taken + 1);
	return true;
}

static bool receive_progress(struct plan *plan, struct task *task)
{
	const struct board *board = &plan->comm->board;
	struct board_channel *channel = board_channel(board, task->root, plan->comm->rank);
	bool moved = false;

	while (comm_error(plan->comm) == ncclSuccess && receive_chunk(plan, task, channel))
		moved = true;
	if (task->done) {
		channel->recv_start_ns = plan->start_ns;
		channel->ready_ns = task->ready_ns = simgpu_now_ns();
		atomic_fetch_add(&channel->received, 1);
	}
	if (moved)
		board_ring(board, task->root);
	return moved;
}

bool message_progress(struct plan *plan, struct task *task)
{
	return task->kind == TASK_SEND ? send_progress(plan, task) : receive_progress(plan, task);
}
