/* A collective moves in chunks: every rank writes its own into its slot, waits until all have, and
 * takes from every slot what it needs. A rank is at most BOARD_DEPTH chunks ahead of the slowest.
 * A last chunk without data tells the others that this rank is through: from it every rank works
 * out the same end. */
#include "doubles/nccl/progress.h"

#include <string.h>

#include "doubles/nccl/comm.h"
#include "doubles/nccl/reduce.h"
#include "doubles/observe.h"

struct stretch { /* of the bytes that a collective moves, [from, from + bytes) */
	size_t from, bytes;
};

static size_t domain_bytes(const struct ncclComm *comm, const struct task *task)
{
	size_t bytes = task->count * reduce_type_bytes(task->type);

	return task->kind == TASK_REDUCESCATTER ? bytes * (size_t)comm->ranks : bytes;
}

static uint64_t data_chunks(const struct ncclComm *comm, const struct task *task)
{
	size_t chunk = comm->board.chunk_bytes;

	return (domain_bytes(comm, task) + chunk - 1) / chunk;
}

static struct stretch stretch_at(const struct ncclComm *comm, const struct task *task, uint64_t at)
{
	size_t whole = domain_bytes(comm, task), chunk = comm->board.chunk_bytes;
	struct stretch stretch = {.from = at * chunk};

	stretch.bytes = whole - stretch.from < chunk ? whole - stretch.from : chunk;
	return stretch;
}

/* What ranks must agree on. Never 0. */
static uint64_t signature(const struct task *task)
{
	uint64_t hash = task->count;

	hash = hash * 31 + (uint64_t)task->kind;
	hash = hash * 31 + (uint64_t)task->type;
	hash = hash * 31 + (task->scaled ? 99 : (uint64_t)task->op);
	hash = hash * 1021 + (uint64_t)task->root;
	return hash << 1 | 1;
}

static bool has_room(const struct ncclComm *comm, uint64_t posted)
{
	for (int rank = 0; rank < comm->ranks; rank++)
		if (posted - atomic_load(&board_rank(&comm->board, rank)->taken) >= BOARD_DEPTH)
			return false;
	return true;
}

static bool gives_data(const struct ncclComm *comm, const struct task *task)
{
	return task->kind != TASK_BROADCAST || task->root == comm->rank;
}

static void fill(const struct ncclComm *comm, const struct task *task, uint64_t at, uint8_t *slot)
{
	struct stretch stretch = stretch_at(comm, task, at);
	const char *from = (const char *)task->send + stretch.from;
	const void *factor = task->factor_at ? task->factor_at : &task->factor;

	if (task->scaled)
		reduce_scale(task->type, slot, from, factor, stretch.bytes / reduce_type_bytes(task->type));
	else
		memcpy(slot, from, stretch.bytes);
}

static bool post(struct plan *plan, struct task *task)
{
	struct ncclComm *comm = plan->comm;
	struct board_rank *me = board_rank(&comm->board, comm->rank);
	uint64_t posted = atomic_load(&me->posted), at = posted - task->first;
	uint64_t chunks = data_chunks(comm, task);
	struct board_chunk *chunk = &me->chunk[posted % BOARD_DEPTH];

	if (at > chunks || !has_room(comm, posted))
		return false;
	if (at == chunks && atomic_load(&me->taken) - task->first < chunks)
		return false;
	if (at == chunks) {
		*chunk = (struct board_chunk){.what = 0, .start_ns = simgpu_now_ns()};
	} else {
		*chunk = (struct board_chunk){.what = signature(task), .start_ns = plan->start_ns};
		if (gives_data(comm, task))
			fill(comm, task, at, board_slot(&comm->board, comm->rank, posted));
	}
	atomic_store(&me->posted, posted + 1);
	board_ring_all(&comm->board);
	return true;
}

static void reduce_into(const struct ncclComm *comm, const struct task *task, uint64_t index,
						void *out, struct stretch part)
{
	const void *in[BOARD_RANKS];

	for (int rank = 0; rank < comm->ranks; rank++)
		in[rank] = board_slot(&comm->board, rank, index) + part.from;
	reduce_ranks(task->type, task->op, out, in, comm->ranks,
				 part.bytes / reduce_type_bytes(task->type));
}

/* This rank's part of a reduce-scatter, as far as it lies in this chunk. */
static void take_part(const struct ncclComm *comm, const struct task *task, uint64_t index,
					  struct stretch stretch)
{
	size_t mine = task->count * reduce_type_bytes(task->type);
	size_t low = mine * (size_t)comm->rank, high = low + mine;
	size_t from = stretch.from > low ? stretch.from : low;
	size_t to = stretch.from + stretch.bytes < high ? stretch.from + stretch.bytes : high;
	struct stretch part = {.from = from - stretch.from, .bytes = to - from};

	if (from < to)
		reduce_into(comm, task, index, (char *)task->recv + (from - low), part);
}

static void take_data(const struct ncclComm *comm, const struct task *task, uint64_t index)
{
	struct stretch stretch = stretch_at(comm, task, index - task->first);
	size_t each = task->count * reduce_type_bytes(task->type);
	char *out = (char *)task->recv + stretch.from;

	switch (task->kind) {
	case TASK_ALLREDUCE:
		reduce_into(comm, task, index, out, (struct stretch){.bytes = stretch.bytes});
		break;
	case TASK_REDUCE:
		if (task->root == comm->rank)
			reduce_into(comm, task, index, out, (struct stretch){.bytes = stretch.bytes});
		break;
	case TASK_BROADCAST:
		memcpy(out, board_slot(&comm->board, task->root, index), stretch.bytes);
		break;
	case TASK_ALLGATHER:
		for (int rank = 0; rank < comm->ranks; rank++)
			memcpy(out + (size_t)rank * each, board_slot(&comm->board, rank, index), stretch.bytes);
		break;
	default:
		take_part(comm, task, index, stretch);
	}
}

/* Do all ranks' chunks belong to this collective? Latest of their times into *latest_ns. */
static bool agree(const struct ncclComm *comm, uint64_t index, uint64_t what, int64_t *latest_ns)
{
	for (int rank = 0; rank < comm->ranks; rank++) {
		struct board_chunk *chunk = &board_rank(&comm->board, rank)->chunk[index % BOARD_DEPTH];

		if (chunk->what != what)
			return false;
		if (chunk->start_ns > *latest_ns)
			*latest_ns = chunk->start_ns;
	}
	return true;
}

static bool take(struct plan *plan, struct task *task)
{
	struct ncclComm *comm = plan->comm;
	struct board_rank *me = board_rank(&comm->board, comm->rank);
	uint64_t index = atomic_load(&me->taken);
	bool closing = index - task->first == data_chunks(comm, task);

	for (int rank = 0; rank < comm->ranks; rank++)
		if (atomic_load(&board_rank(&comm->board, rank)->posted) <= index)
			return false;
	if (!agree(comm, index, closing ? 0 : signature(task),
			   closing ? &task->ready_ns : &task->meet_ns)) {
		comm_fail(comm, ncclInvalidUsage, "ranks called different collectives (or counts)");
		return true;
	}
	if (!closing)
		take_data(comm, task, index);
	atomic_store(&me->taken, index + 1);
	board_ring_all(&comm->board);
	task->done = closing;
	return true;
}

bool collective_progress(struct plan *plan, struct task *task)
{
	bool posted, took;

	if (!task->begun)
		task->first = atomic_load(&board_rank(&plan->comm->board, plan->comm->rank)->posted);
	task->begun = true;
	posted = post(plan, task);
	took = take(plan, task);
	return posted || took;
}
