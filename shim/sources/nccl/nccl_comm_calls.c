#include "sources/nccl/nccl.h"

#define NCCL_REAL(call) _Atomic(void *) nccl_real_##call;
NCCL_BY_HAND(NCCL_REAL)

/* The library's own function, or leave with an error. */
#define FORWARD(call)                                                           \
	static struct caller_target target;                                         \
	__typeof__(&nccl##call) real = (__typeof__(&nccl##call))nccl_real(          \
		&target, &nccl_real_##call, "nccl" #call, __builtin_return_address(0)); \
	if (!real)                                                                  \
		return NCCL_INTERNAL_ERROR;

static struct nccl_birth joins(void **out, uint64_t hash, int size, int rank)
{
	return (struct nccl_birth){out, out ? *out : NULL, {hash, size, rank}};
}

SHIM_EXPORT int ncclCommInitRank(void **comm, int size, struct nccl_unique_id id, int rank)
{
	FORWARD(CommInitRank)
	struct nccl_birth birth = joins(comm, nccl_hash(&id, sizeof(id)), size, rank);
	struct nccl_call call;
	nccl_begin(&call, "ncclCommInitRank");
	int result = real(comm, size, id, rank);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclCommInitRankConfig(void **comm, int size, struct nccl_unique_id id, int rank,
									   void *config)
{
	FORWARD(CommInitRankConfig)
	struct nccl_birth birth = joins(comm, nccl_hash(&id, sizeof(id)), size, rank);
	struct nccl_call call;
	nccl_begin(&call, "ncclCommInitRankConfig");
	int result = real(comm, size, id, rank, config);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclCommInitRankScalable(void **comm, int size, int rank, int ids,
										 const struct nccl_unique_id *id, void *config)
{
	FORWARD(CommInitRankScalable)
	uint64_t hash = id && ids > 0 ? nccl_hash(id, sizeof(*id) * (size_t)ids) : 0;
	struct nccl_birth birth = joins(comm, hash, size, rank);
	struct nccl_call call;
	nccl_begin(&call, "ncclCommInitRankScalable");
	int result = real(comm, size, rank, ids, id, config);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

/* All members are this process's: a hash that nobody else has is equal on all of them. */
SHIM_EXPORT int ncclCommInitAll(void **comms, int devices, const int *list)
{
	FORWARD(CommInitAll)
	struct nccl_call call;
	nccl_begin(&call, "ncclCommInitAll");
	int result = real(comms, devices, list);
	uint64_t hash = nccl_hash_private(comms);
	for (int i = 0; comms && i < devices; i++) {
		struct nccl_birth birth = {&comms[i], NULL, {hash, devices, i}};
		nccl_born(&call, &birth, result);
	}
	nccl_end(&call, result);
	return result;
}

/* A child is told by its parent, the number of this split and what its members have in common. */
static struct nccl_birth child_of(const struct nccl_call *call, void *comm, uint64_t colour,
								  void **out)
{
	struct nccl_comm *parent = call->inner ? NULL : nccl_comm_use(comm);
	uint64_t hash = 0;
	if (parent)
		hash = nccl_hash_child(nccl_comm_member(parent).hash, nccl_comm_split(parent), colour);
	return joins(out, hash, 0, -1);
}

SHIM_EXPORT int ncclCommSplit(void *comm, int colour, int key, void **child, void *config)
{
	FORWARD(CommSplit)
	struct nccl_call call;
	nccl_begin(&call, "ncclCommSplit");
	struct nccl_birth birth = child_of(&call, comm, (uint32_t)colour, child);
	int result = real(comm, colour, key, child, config);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

/* Those who stay name the same ranks that go. */
SHIM_EXPORT int ncclCommShrink(void *comm, int *excluded, int count, void **child, void *config,
							   int flags)
{
	FORWARD(CommShrink)
	struct nccl_call call;
	uint64_t who = excluded && count > 0 ? nccl_hash(excluded, sizeof(int) * (size_t)count) : 0;
	nccl_begin(&call, "ncclCommShrink");
	struct nccl_birth birth = child_of(&call, comm, who, child);
	int result = real(comm, excluded, count, child, config, flags);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

/* Those who were there and those who join know nothing in common: two hashes, members missing. */
SHIM_EXPORT int ncclCommGrow(void *comm, int size, const struct nccl_unique_id *id, int rank,
							 void **child, void *config)
{
	FORWARD(CommGrow)
	struct nccl_call call;
	nccl_begin(&call, "ncclCommGrow");
	struct nccl_birth birth;
	if (comm || !id)
		birth = child_of(&call, comm, (uint64_t)size, child);
	else
		birth = joins(child, nccl_hash(id, sizeof(*id)), size, rank);
	birth.member.size = size;
	int result = real(comm, size, id, rank, child, config);
	nccl_born(&call, &birth, result);
	nccl_end(&call, result);
	return result;
}

/* Removed before: once NCCL has freed it, another thread may get the address. */
SHIM_EXPORT int ncclCommDestroy(void *comm)
{
	FORWARD(CommDestroy)
	struct nccl_call call;
	nccl_begin(&call, "ncclCommDestroy");
	if (!call.inner)
		nccl_comm_remove(comm);
	int result = real(comm);
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclCommAbort(void *comm)
{
	FORWARD(CommAbort)
	struct nccl_call call;
	nccl_begin(&call, "ncclCommAbort");
	if (!call.inner)
		nccl_comm_remove(comm);
	int result = real(comm);
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclGroupStart(void)
{
	FORWARD(GroupStart)
	struct nccl_call call;
	nccl_begin(&call, "ncclGroupStart");
	int result = real();
	if (!call.inner && nccl_worked(result))
		nccl_group_started();
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclGroupEnd(void)
{
	FORWARD(GroupEnd)
	struct nccl_call call;
	nccl_begin(&call, "ncclGroupEnd");
	if (!call.inner)
		nccl_group_ends(true);
	int result = real();
	nccl_end(&call, result);
	return result;
}

SHIM_EXPORT int ncclGroupSimulateEnd(void *info)
{
	FORWARD(GroupSimulateEnd)
	struct nccl_call call;
	nccl_begin(&call, "ncclGroupSimulateEnd");
	if (!call.inner)
		nccl_group_ends(false);
	int result = real(info);
	nccl_end(&call, result);
	return result;
}
