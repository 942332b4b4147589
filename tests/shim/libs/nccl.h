/* What the tests can set in and read from the small libnccl.so.2 of theirs. */
#ifndef TEST_NCCL_H
#define TEST_NCCL_H

#include <stddef.h>

struct nccl_double {
	/* called for each kernel, on the calling thread, inside the call */
	void (*launch)(void *stream, const char *symbol);
	int result;     /* of the next operation, then 0 again */
	int late_comms; /* a communicator made in a group is stored as the group ends, as until 2.18 */
	int kernels_each; /* kernels per communicator and group */
	int calls;        /* of public functions, its own to itself too */
	void *last_comm;
	int rank_of_last;
	char id_of_last;
};
extern struct nccl_double nccl_double;

struct test_id {
	char internal[128];
};

int ncclCommInitRank(void **comm, int size, struct test_id id, int rank);
int ncclCommInitRankConfig(void **comm, int size, struct test_id id, int rank, void *config);
int ncclCommInitAll(void **comms, int devices, const int *list);
int ncclCommSplit(void *comm, int colour, int key, void **child, void *config);
int ncclCommShrink(void *comm, int *excluded, int count, void **child, void *config, int flags);
int ncclCommDestroy(void *comm);
int ncclCommCount(void *comm, int *count);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *, void *, size_t, int type, int op, void *comm, void *stream);
int ncclReduceScatter(const void *, void *, size_t, int type, int op, void *comm, void *stream);
int ncclAllGather(const void *, void *, size_t, int type, void *comm, void *stream);
int ncclBroadcast(const void *, void *, size_t, int type, int root, void *comm, void *stream);
int ncclBcast(void *, size_t, int type, int root, void *comm, void *stream);
int ncclSend(const void *, size_t, int type, int peer, void *comm, void *stream);
int ncclRecv(void *, size_t, int type, int peer, void *comm, void *stream);

#endif
