/* A libnccl.so.2 that does no more than the hooks must cope with: each public name is a weak alias
 * of pncclX, it calls itself through its own public names, and it launches per communicator as the
 * outermost group ends. One thread. */
#include "nccl.h"

#define PUBLIC(name) __typeof__(name) name __attribute__((weak, alias("p" #name)))

struct nccl_double nccl_double = {.kernels_each = 1};

struct comm {
	int size, rank, used;
	void *stream; /* the last that an operation named; kernels go there */
	const char *symbol;
};

static struct comm comms[64];
static int comms_used, depth;
static struct {
	void **out;
	struct comm *comm;
} late[64];
static int late_used;

static void launch_all(void)
{
	for (int i = 0; i < comms_used; i++) {
		for (int k = 0; comms[i].used && k < nccl_double.kernels_each; k++)
			if (nccl_double.launch)
				nccl_double.launch(comms[i].stream, comms[i].symbol);
		comms[i].used = 0;
	}
}

int pncclGroupStart(void);
int pncclGroupStart(void)
{
	nccl_double.calls++;
	depth++;
	return 0;
}
PUBLIC(ncclGroupStart);

int pncclGroupEnd(void);
int pncclGroupEnd(void)
{
	nccl_double.calls++;
	if (!depth)
		return 5;
	if (--depth)
		return 0;
	for (; late_used; late_used--)
		*late[late_used - 1].out = late[late_used - 1].comm;
	launch_all();
	return 0;
}
PUBLIC(ncclGroupEnd);

static int operate(void *at, void *stream, const char *symbol)
{
	struct comm *comm = at;
	int result = nccl_double.result;
	nccl_double.calls++;
	nccl_double.result = 0;
	if (result && result != 7)
		return result;
	comm->used = 1;
	comm->stream = stream;
	comm->symbol = symbol;
	if (!depth)
		launch_all();
	return result;
}

static struct comm *make(int size, int rank)
{
	struct comm *comm = &comms[comms_used++];
	*comm = (struct comm){.size = size, .rank = rank};
	nccl_double.last_comm = comm;
	nccl_double.rank_of_last = rank;
	return comm;
}

static int give(void **out, struct comm *comm)
{
	nccl_double.calls++;
	if (depth && nccl_double.late_comms) {
		late[late_used].out = out;
		late[late_used++].comm = comm;
	} else {
		*out = comm;
	}
	return 0;
}

int pncclCommInitRank(void **comm, int size, struct test_id id, int rank);
int pncclCommInitRank(void **comm, int size, struct test_id id, int rank)
{
	nccl_double.id_of_last = id.internal[127];
	return give(comm, make(size, rank));
}
PUBLIC(ncclCommInitRank);

int pncclCommInitRankConfig(void **comm, int size, struct test_id id, int rank, void *config);
int pncclCommInitRankConfig(void **comm, int size, struct test_id id, int rank, void *config)
{
	(void)config;
	nccl_double.id_of_last = id.internal[127];
	give(comm, make(size, rank));
	return 7; /* in progress */
}
PUBLIC(ncclCommInitRankConfig);

int pncclCommInitAll(void **out, int devices, const int *list);
int pncclCommInitAll(void **out, int devices, const int *list)
{
	struct test_id id = {{0}};
	(void)list;
	ncclGroupStart();
	for (int i = 0; i < devices; i++)
		ncclCommInitRank(&out[i], devices, id, i);
	return ncclGroupEnd();
}
PUBLIC(ncclCommInitAll);

int pncclCommSplit(void *comm, int colour, int key, void **child, void *config);
int pncclCommSplit(void *comm, int colour, int key, void **child, void *config)
{
	(void)config;
	struct comm *parent = comm;
	if (colour < 0) {
		nccl_double.calls++;
		*child = NULL;
		return 0;
	}
	return give(child, make(parent->size / 2, key));
}
PUBLIC(ncclCommSplit);

int pncclCommDestroy(void *comm);
int pncclCommDestroy(void *comm)
{
	nccl_double.calls++;
	if (comm == &comms[comms_used - 1])
		comms_used--; /* the next one gets its address */
	return 0;
}
PUBLIC(ncclCommDestroy);

int pncclCommCount(void *comm, int *count);
int pncclCommCount(void *comm, int *count)
{
	*count = ((struct comm *)comm)->size;
	return 0;
}
PUBLIC(ncclCommCount);

#define WITH_OP const void *s, void *r, size_t n, int type, int op, void *comm, void *stream
#define UNUSED_OP (void)s, (void)r, (void)n, (void)type, (void)op

int pncclAllReduce(WITH_OP);
int pncclAllReduce(WITH_OP)
{
	UNUSED_OP;
	return operate(comm, stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}
PUBLIC(ncclAllReduce);

int pncclReduceScatter(WITH_OP);
int pncclReduceScatter(WITH_OP)
{
	UNUSED_OP;
	return operate(comm, stream, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL");
}
PUBLIC(ncclReduceScatter);

int pncclBroadcast(WITH_OP);
int pncclBroadcast(WITH_OP)
{
	UNUSED_OP;
	return operate(comm, stream, "ncclDevKernel_Broadcast_RING_LL");
}
PUBLIC(ncclBroadcast);

int pncclBcast(void *b, size_t n, int type, int root, void *comm, void *stream);
int pncclBcast(void *b, size_t n, int type, int root, void *comm, void *stream)
{
	nccl_double.calls++;
	return ncclBroadcast(b, b, n, type, root, comm, stream);
}
PUBLIC(ncclBcast);

int pncclAllGather(const void *s, void *r, size_t n, int type, void *comm, void *stream);
int pncclAllGather(const void *s, void *r, size_t n, int type, void *comm, void *stream)
{
	(void)s, (void)r, (void)n, (void)type;
	return operate(comm, stream, "ncclDevKernel_AllGather_RING_LL");
}
PUBLIC(ncclAllGather);

int pncclSend(const void *b, size_t n, int type, int peer, void *comm, void *stream);
int pncclSend(const void *b, size_t n, int type, int peer, void *comm, void *stream)
{
	(void)b, (void)n, (void)type, (void)peer;
	return operate(comm, stream, "ncclDevKernel_SendRecv");
}
PUBLIC(ncclSend);

int pncclRecv(void *b, size_t n, int type, int peer, void *comm, void *stream);
int pncclRecv(void *b, size_t n, int type, int peer, void *comm, void *stream)
{
	(void)b, (void)n, (void)type, (void)peer;
	return operate(comm, stream, "ncclDevKernel_SendRecv");
}
PUBLIC(ncclRecv);
