/* The exported calls that make, ask and end communicators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "doubles/external.h"
#include "doubles/nccl/comm.h"
#include "doubles/nccl/exported.h"
#include "doubles/nccl/group.h"
#include "doubles/nccl/kernel.h"
#include "doubles/nccl/link.h"
#include "doubles/nccl/maker.h"
#include "doubles/nccl/nccl.h"

static const char id_prefix[] = "simnccl-";

EXPORTED ncclResult_t pncclGetUniqueId(ncclUniqueId *id)
{
	uint64_t random = (uint64_t)simgpu_now_ns();
	char sign[BOARD_NAME - sizeof id_prefix - 16];

	if (!id)
		return comm_refuse(ncclInvalidArgument, "the id is NULL");
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random *= 0x9e3779b97f4a7c15u;
	maker_clear_boards();
	memset(id, 0, sizeof *id);
	maker_sign(sign, sizeof sign);
	snprintf(id->internal, sizeof id->internal, "%s%016llx%s", id_prefix,
			 (unsigned long long)random, sign);
	return ncclSuccess;
}
WEAK_NAME(ncclGetUniqueId);

static bool is_id(const ncclUniqueId *id)
{
	size_t bytes = strnlen(id->internal, sizeof id->internal);

	return bytes < BOARD_NAME && !strncmp(id->internal, id_prefix, sizeof id_prefix - 1) &&
		   !strchr(id->internal, '/');
}

static ncclResult_t await(void *comm)
{
	return comm_await(comm);
}

/* Waits for the others: now, or when the group ends; a non-blocking one by its own thread. */
static ncclResult_t settle(struct ncclComm *comm)
{
	if (!comm->blocking)
		return ncclInProgress;
	return group_is_open() ? group_defer(await, comm) : comm_await(comm);
}

static ncclResult_t init(ncclComm_t *comm, const ncclUniqueId *id, struct comm_place place,
						 const ncclConfig_t *config)
{
	ncclResult_t result;

	if (!comm || place.ranks < 1 || place.rank < 0 || place.rank >= place.ranks)
		return comm_refuse(ncclInvalidArgument, "rank %d of %d", place.rank, place.ranks);
	if (!is_id(id))
		return comm_refuse(ncclInvalidArgument, "the id is not ncclGetUniqueId's");
	if (config && config->magic != NCCL_API_MAGIC)
		return comm_refuse(ncclInvalidArgument, "the configuration was not initialised");
	if (simgpu_init())
		return comm_refuse(ncclUnhandledCudaError, "no CUDA device");
	place.name = id->internal;
	place.blocking = !config || config->blocking != 0;
	*comm = NULL;
	result = comm_open(comm, &place, kernel_carry_out);
	return result ? result : settle(*comm);
}

EXPORTED ncclResult_t pncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId id,
											  int rank, ncclConfig_t *config)
{
	struct comm_place place = {.ranks = nranks, .rank = rank, .device = simgpu_device()};

	return group_result(init(comm, &id, place, config));
}
WEAK_NAME(ncclCommInitRankConfig);

EXPORTED ncclResult_t pncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
	return pncclCommInitRankConfig(comm, nranks, id, rank, NULL);
}
WEAK_NAME(ncclCommInitRank);

EXPORTED ncclResult_t pncclCommInitRankScalable(ncclComm_t *comm, int nranks, int rank, int nids,
												ncclUniqueId *ids, ncclConfig_t *config)
{
	if (nids < 1 || !ids)
		return group_result(comm_refuse(ncclInvalidArgument, "no id"));
	return pncclCommInitRankConfig(comm, nranks, ids[0], rank, config);
}
WEAK_NAME(ncclCommInitRankScalable);

EXPORTED ncclResult_t pncclCommInitAll(ncclComm_t *comms, int ndev, const int *devlist)
{
	ncclUniqueId id;
	ncclResult_t result, ended;

	if (!comms || ndev < 1 || simgpu_init() || ndev > simgpu_devices())
		return group_result(comm_refuse(ncclInvalidArgument, "%d devices", ndev));
	result = ncclGetUniqueId(&id); /* by its public name, as the real one */
	group_begin();
	for (int rank = 0; !result && rank < ndev; rank++) {
		struct comm_place place = {
			.ranks = ndev, .rank = rank, .device = devlist ? devlist[rank] : rank};

		result = init(&comms[rank], &id, place, NULL);
	}
	group_result(result);
	ended = group_end();
	return result ? result : ended;
}
WEAK_NAME(ncclCommInitAll);

struct split {
	struct ncclComm *parent;
	ncclComm_t *out;
	uint32_t ordinal;
	int color, key;
};

static struct board_split *split_of(const struct split *split, int rank)
{
	return &board_rank(&split->parent->board, rank)->split[split->ordinal % BOARD_SPLITS];
}

/* Where this rank stands among those of its colour: by key, then by old rank. */
static void place_in_split(const struct split *split, struct comm_place *place)
{
	for (int rank = 0; rank < split->parent->ranks; rank++) {
		const struct board_split *other = split_of(split, rank);

		if (other->color != split->color)
			continue;
		place->ranks++;
		place->rank +=
			other->key < split->key || (other->key == split->key && rank < split->parent->rank);
	}
}

static ncclResult_t await_split(const struct split *split)
{
	struct ncclComm *parent = split->parent;
	int64_t begin = simgpu_now_ns();

	for (int rank = 0; rank < parent->ranks; rank++)
		for (;;) {
			uint32_t heard = board_listen(&parent->board);

			if (atomic_load(&split_of(split, rank)->ordinal) == split->ordinal)
				break;
			if (board_lost(&parent->board, rank))
				return comm_fail(parent, ncclRemoteError, "rank %d is gone", rank);
			if (simgpu_now_ns() - begin > link_timeout_ns())
				return comm_fail(parent, ncclSystemError, "rank %d does not split", rank);
			board_wait(&parent->board, heard, 50);
		}
	return ncclSuccess;
}

static ncclResult_t finish_split(void *argument)
{
	struct split *split = argument;
	struct comm_place place = {.device = split->parent->device, .blocking = true};
	char name[BOARD_NAME];
	ncclResult_t result = await_split(split);

	place.name = name;
	if (!result && split->color != NCCL_SPLIT_NOCOLOR) {
		place_in_split(split, &place);
		comm_child_name(split->parent, 's', split->ordinal, split->color, name);
		result = comm_open(split->out, &place, kernel_carry_out);
		if (!result) /* the members may be this same thread's: all join first */
			result = group_defer(await, *split->out);
	}
	free(split);
	return result;
}

static ncclResult_t begin_split(struct ncclComm *parent, int color, int key, ncclComm_t *out)
{
	struct split *split = malloc(sizeof *split);
	struct board_split *mine;

	if (!split)
		return comm_refuse(ncclSystemError, "out of memory");
	*split = (struct split){
		.parent = parent, .out = out, .ordinal = ++parent->splits, .color = color, .key = key};
	mine = split_of(split, parent->rank);
	mine->color = color;
	mine->key = key;
	atomic_store(&mine->ordinal, split->ordinal);
	board_ring_all(&parent->board);
	return group_defer(finish_split, split);
}

EXPORTED ncclResult_t pncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
									 ncclConfig_t *config)
{
	ncclResult_t result = ncclSuccess, ended;

	(void)config;
	if (!comm || !newcomm || color < NCCL_SPLIT_NOCOLOR)
		return group_result(comm_refuse(ncclInvalidArgument, "colour %d", color));
	*newcomm = NULL;
	group_begin();
	result = comm_error(comm);
	if (!result)
		result = begin_split(comm, color, key, newcomm);
	group_result(result);
	ended = group_end();
	return result ? result : ended;
}
WEAK_NAME(ncclCommSplit);

static bool listed(const int *list, int n, int rank)
{
	for (int i = 0; i < n; i++)
		if (list[i] == rank)
			return true;
	return false;
}

/* Only those who stay call it; the list says who they are. */
EXPORTED ncclResult_t pncclCommShrink(ncclComm_t comm, int *exclude, int nexclude,
									  ncclComm_t *newcomm, ncclConfig_t *config, int flags)
{
	char name[BOARD_NAME];
	struct comm_place place = {.name = name, .blocking = true};
	ncclResult_t result;

	(void)config;
	if (!comm || !newcomm || nexclude < 1 || !exclude || listed(exclude, nexclude, comm->rank))
		return group_result(comm_refuse(ncclInvalidArgument, "bad list of excluded ranks"));
	if (flags & 1) /* NCCL_SHRINK_ABORT */
		comm_fail(comm, ncclInvalidUsage, "shrunk");
	place.device = comm->device;
	for (int rank = 0; rank < comm->ranks; rank++)
		if (!listed(exclude, nexclude, rank)) {
			place.ranks++;
			place.rank += rank < comm->rank;
		}
	comm_child_name(comm, 'k', ++comm->shrinks, 0, name);
	*newcomm = NULL;
	result = comm_open(newcomm, &place, kernel_carry_out);
	return group_result(result ? result : settle(*newcomm));
}
WEAK_NAME(ncclCommShrink);

EXPORTED ncclResult_t pncclCommFinalize(ncclComm_t comm)
{
	if (!comm)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	return comm_drain(comm, -1) ? comm_error(comm) : ncclUnhandledCudaError;
}
WEAK_NAME(ncclCommFinalize);

/* A handler of exit() may come here when the driver has gone, with kernels that never started. */
EXPORTED ncclResult_t pncclCommDestroy(ncclComm_t comm)
{
	if (!comm)
		return ncclSuccess;
	if (!comm_drain(comm, -1))
		return comm_refuse(ncclUnhandledCudaError, "the driver has gone");
	comm_close(comm);
	return ncclSuccess;
}
WEAK_NAME(ncclCommDestroy);

/* A kernel whose stream has not got to it yet still needs the communicator: it is left behind. */
EXPORTED ncclResult_t pncclCommAbort(ncclComm_t comm)
{
	if (!comm)
		return ncclSuccess;
	comm_fail(comm, ncclInvalidUsage, "aborted");
	if (comm_drain(comm, 2000000000))
		comm_close(comm);
	return ncclSuccess;
}
WEAK_NAME(ncclCommAbort);

EXPORTED ncclResult_t pncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	if (!comm || !error)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	*error = comm_error(comm);
	if (*error == ncclSuccess && !atomic_load(&comm->joined))
		*error = ncclInProgress;
	return ncclSuccess;
}
WEAK_NAME(ncclCommGetAsyncError);

EXPORTED ncclResult_t pncclCommCount(const ncclComm_t comm, int *count)
{
	if (!comm || !count)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	*count = comm->ranks;
	return ncclSuccess;
}
WEAK_NAME(ncclCommCount);

EXPORTED ncclResult_t pncclCommCuDevice(const ncclComm_t comm, int *device)
{
	if (!comm || !device)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	*device = comm->device;
	return ncclSuccess;
}
WEAK_NAME(ncclCommCuDevice);

EXPORTED ncclResult_t pncclCommUserRank(const ncclComm_t comm, int *rank)
{
	if (!comm || !rank)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	*rank = comm->rank;
	return ncclSuccess;
}
WEAK_NAME(ncclCommUserRank);

EXPORTED const char *pncclGetLastError(ncclComm_t comm)
{
	return comm && comm_error(comm) ? comm->text : comm_last_refusal();
}
WEAK_NAME(ncclGetLastError);
