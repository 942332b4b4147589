#include "doubles/nccl/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "doubles/external.h"
#include "doubles/nccl/comm.h"
#include "doubles/nccl/context.h"
#include "doubles/nccl/kernel_name.h"
#include "doubles/nccl/link.h"
#include "doubles/nccl/progress.h"
#include "doubles/nccl/reduce.h"

enum {
	PATIENCE_MS = 50,      /* between two looks whether the others are alive */
	SETTLE_NS = 50000,     /* for every rank to learn of an end before it is there */
	CHANNEL_BYTES = 65536, /* a block of the kernel for each, as far as NCCL has channels */
	CHANNELS = 24
};

/* A pair's messages go one after the other; these pairs are taken in this round. */
struct round {
	bool collective;
	bool sending[BOARD_RANKS], receiving[BOARD_RANKS];
};

/* Sends and receives share the link in both directions, collectives follow each other. */
int64_t kernel_transfer_ns(const struct plan *plan)
{
	int64_t sent = 0, received = 0, collective = 0;

	for (const struct task *task = plan->first; task; task = task->next) {
		int64_t ns = link_transfer_ns(task, plan->comm->ranks);

		if (task_is_message(task) && task->root == plan->comm->rank)
			continue; /* to itself: no link */
		if (task->kind == TASK_SEND)
			sent += ns;
		else if (task->kind == TASK_RECV)
			received += ns;
		else
			collective += ns;
	}
	return link_latency_ns() + collective + (sent > received ? sent : received);
}

static void started(void *who, int64_t start_ns)
{
	struct plan *plan = who;
	struct ncclComm *comm = plan->comm;

	pthread_mutex_lock(&comm->mutex);
	plan->started = true;
	plan->start_ns = start_ns;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->mutex);
}

static uint32_t blocks(const struct plan *plan)
{
	size_t bytes = 0;

	for (const struct task *task = plan->first; task; task = task->next)
		bytes += task->count * reduce_type_bytes(task->type);
	return bytes / CHANNEL_BYTES < CHANNELS ? (uint32_t)(bytes / CHANNEL_BYTES) + 1 : CHANNELS;
}

/* The kernel bears the name of its first collective. */
static const char *name_of(const struct plan *plan)
{
	for (const struct task *task = plan->first; task; task = task->next)
		if (!task_is_message(task))
			return kernel_name(task);
	return kernel_name(plan->first);
}

static void queue(struct plan *plan)
{
	struct ncclComm *comm = plan->comm;

	pthread_mutex_lock(&comm->mutex);
	plan->number = comm->plans++;
	if (comm->last)
		comm->last->next = plan;
	else
		comm->first = plan;
	comm->last = plan;
	pthread_mutex_unlock(&comm->mutex);
}

static ncclResult_t launch(struct plan *plan)
{
	struct ncclComm *comm = plan->comm;
	struct sim_external kernel = {.name = name_of(plan),
								  .stream = plan->stream,
								  .grid = blocks(plan),
								  .started = started,
								  .who = plan};
	struct sim_external_op *op;
	bool entered;

	queue(plan);
	entered = context_enter(comm->device);
	op = simgpu_launch_external(&kernel);
	if (entered)
		context_leave();
	pthread_mutex_lock(&comm->mutex);
	plan->op = op;
	plan->refused = !op;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->mutex);
	return op ? ncclSuccess
			  : comm_refuse(ncclUnhandledCudaError,
							"the stream is being captured or is not one of this driver's");
}

struct launch {
	struct plan *plan;
	ncclResult_t result;
};

static void *launch_apart(void *argument)
{
	struct launch *apart = argument;

	apart->result = launch(apart->plan);
	return NULL;
}

/* A non-blocking communicator's kernels are launched by a thread that lives only for that, as
 * NCCL does; here the caller waits for it, so that calls stay in order. */
ncclResult_t kernel_launch(struct plan *plan)
{
	struct launch apart = {.plan = plan, .result = ncclSystemError};
	pthread_t thread;

	if (plan->comm->blocking || pthread_create(&thread, NULL, launch_apart, &apart))
		return launch(plan);
	pthread_join(thread, NULL);
	return apart.result;
}

static bool advance(struct plan *plan, struct task *task, struct round *round)
{
	bool *taken = task->kind == TASK_SEND   ? &round->sending[task->root]
				  : task->kind == TASK_RECV ? &round->receiving[task->root]
											: &round->collective;

	if (*taken)
		return false;
	*taken = true;
	return task_is_message(task) ? message_progress(plan, task) : collective_progress(plan, task);
}

/* Moves everything that can move; *left: how many tasks are not done. */
static bool advance_all(struct plan *plan, unsigned *left)
{
	struct round round = {.collective = false};
	bool moved = false;

	*left = 0;
	for (struct task *task = plan->first; task; task = task->next) {
		if (!task->done && advance(plan, task, &round))
			moved = true;
		*left += !task->done;
	}
	return moved;
}

static bool gone(const struct ncclComm *comm, int rank)
{
	return board_lost(&comm->board, rank) || atomic_load(&board_rank(&comm->board, rank)->left);
}

/* Nothing has moved for a while: is somebody that a task needs no longer there? */
static void look_around(struct plan *plan, int64_t waited_ns)
{
	struct ncclComm *comm = plan->comm;

	for (const struct task *task = plan->first; task; task = task->next) {
		bool message = task_is_message(task);
		int first = message ? task->root : 0, end = message ? task->root + 1 : comm->ranks;

		if (task->done)
			continue;
		for (int rank = first; rank < end; rank++)
			if (rank != comm->rank && gone(comm, rank))
				comm_fail(comm, ncclRemoteError, "rank %d of %s is gone", rank, comm->name);
	}
	if (waited_ns > link_timeout_ns())
		comm_fail(comm, ncclRemoteError, "rank %d of %s waited %lld ms for the others", comm->rank,
				  comm->name, (long long)(waited_ns / 1000000));
}

/* False when the communicator failed first. */
static bool move_data(struct plan *plan)
{
	struct ncclComm *comm = plan->comm;
	int64_t moved_ns = simgpu_now_ns(), looked_ns = moved_ns;

	while (comm_error(comm) == ncclSuccess) {
		uint32_t heard = board_listen(&comm->board);
		int64_t now;
		unsigned left;

		if (advance_all(plan, &left)) {
			moved_ns = looked_ns = simgpu_now_ns();
			continue;
		}
		if (!left)
			return true;
		board_wait(&comm->board, heard, PATIENCE_MS);
		now = simgpu_now_ns();
		/* Only when nobody has rung since: who left in the meantime rang before. */
		if (now - looked_ns > PATIENCE_MS * 1000000ll && board_listen(&comm->board) == heard) {
			look_around(plan, now - moved_ns);
			looked_ns = now;
		}
	}
	return false;
}

/* From what all members know: when the last of them started and when the last had its data. */
static int64_t end_ns(const struct plan *plan)
{
	int64_t meet = plan->start_ns, ready = 0, end;

	for (const struct task *task = plan->first; task; task = task->next) {
		if (task->meet_ns > meet)
			meet = task->meet_ns;
		if (task->ready_ns > ready)
			ready = task->ready_ns;
	}
	end = meet + kernel_transfer_ns(plan);
	if (end < ready + SETTLE_NS)
		end = ready + SETTLE_NS;
	return end + link_skew_ns(plan->number, plan->comm->rank);
}

void kernel_carry_out(struct plan *plan)
{
	bool whole = move_data(plan);

	simgpu_end_external(plan->op, whole ? end_ns(plan) : simgpu_now_ns());
}
