/* The NCCL border: every public call is forwarded to the loaded library's own (pncclX), recorded
 * as a call, and each collective, send or receive with its arguments and the kernel that carries
 * it. nccl_wrappers.c (generated) and nccl_comm_calls.c hold the wrappers, which are made of what
 * stands here; nccl_comm.h has the communicators, nccl_library.h the library. */
#ifndef SHIM_NCCL_H
#define SHIM_NCCL_H

#include "base/guard.h"
#include "base/symbols.h"
#include "sources/nccl/nccl_comm.h"
#include "sources/nccl/nccl_library.h"

#include <baton/format.h>
#include <baton/live.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nccl_unique_id { /* passed by value */
	char internal[128];
};

/* One call from its begin to its end. Calls that NCCL makes to itself are `inner`: forwarded, not
 * recorded. The outermost of a thread keeps GUARD_NCCL up. */
struct nccl_call {
	const char *name;
	uint64_t begin;
	struct baton_lane *lane; /* that of the thread, when it recorded as the call began */
	uint32_t stack;
	unsigned waiting; /* operations that waited for a kernel before it */
	bool outermost, inner, timed;
};

/* The arguments of a collective, a send or a receive. */
struct nccl_args {
	void *comm;
	const void *stream;
	size_t count;
	int type;      /* ncclDataType_t */
	uint8_t coll;  /* enum baton_coll */
	bool per_rank; /* the send buffer has `count` elements for each rank */
	int peer;      /* 1 + the rank that it sends to or receives from; 0 none */
};

void nccl_begin(struct nccl_call *call, const char *name);
void nccl_operation(struct nccl_call *call, const struct nccl_args *args);
void nccl_end(struct nccl_call *call, int result);

static inline bool nccl_worked(int result)
{
	return result == NCCL_SUCCESS || result == NCCL_IN_PROGRESS;
}

/* Groups, as ncclGroupStart and ncclGroupEnd nest. The end comes before the call, which may launch;
 * `run` is false when nothing will be (ncclGroupSimulateEnd). */
void nccl_group_started(void);
void nccl_group_ends(bool run);

/* A communicator that a call makes: known once *out is there, at the latest when the outermost
 * group ends. */
struct nccl_birth {
	void **out;
	void *before; /* what *out was when the call began */
	struct nccl_member member;
};
void nccl_born(const struct nccl_call *call, const struct nccl_birth *birth, int result);

/* Where the hand-written wrappers of nccl_comm_calls.c forward to; nccl_wrappers.c lists them for
 * dlsym. */
#define NCCL_BY_HAND(call)                                                                   \
	call(CommInitRank) call(CommInitRankConfig) call(CommInitRankScalable) call(CommInitAll) \
		call(CommSplit) call(CommShrink) call(CommGrow) call(CommDestroy) call(CommAbort)    \
			call(GroupStart) call(GroupEnd) call(GroupSimulateEnd)

/* What dlsym hands out of NCCL, sorted by name. */
extern const struct symbols_hook nccl_names[];
extern const unsigned nccl_names_count;

#define NCCL_REAL(call) extern _Atomic(void *) nccl_real_##call;
NCCL_BY_HAND(NCCL_REAL)
#undef NCCL_REAL

int ncclCommInitRank(void **comm, int size, struct nccl_unique_id id, int rank);
int ncclCommInitRankConfig(void **comm, int size, struct nccl_unique_id id, int rank, void *config);
int ncclCommInitRankScalable(void **comm, int size, int rank, int ids,
							 const struct nccl_unique_id *id, void *config);
int ncclCommInitAll(void **comms, int devices, const int *list);
int ncclCommSplit(void *comm, int colour, int key, void **child, void *config);
int ncclCommShrink(void *comm, int *excluded, int count, void **child, void *config, int flags);
int ncclCommGrow(void *comm, int size, const struct nccl_unique_id *id, int rank, void **child,
				 void *config);
int ncclCommDestroy(void *comm);
int ncclCommAbort(void *comm);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclGroupSimulateEnd(void *info);

#endif
