#include "import/nsys/nsys_coll.h"

#include <baton/format.h>
#include <string.h>
#include <strings.h>

static const struct nsys_coll colls[] = {
	{"ncclAllReduce", BATON_COLL_ALLREDUCE, BATON_COLL_ALLREDUCE, SIZE_ONE, SIZE_ONE, 5},
	{"ncclAllGather", BATON_COLL_ALLGATHER, BATON_COLL_ALLGATHER, SIZE_ONE, SIZE_RANKS, 4},
	{"ncclReduceScatter", BATON_COLL_REDUCESCATTER, BATON_COLL_REDUCESCATTER, SIZE_RANKS, SIZE_ONE,
	 7},
	{"ncclBroadcast", BATON_COLL_BROADCAST, BATON_COLL_BROADCAST, SIZE_ONE, SIZE_ONE, 6},
	{"ncclReduce", BATON_COLL_REDUCE, BATON_COLL_REDUCE, SIZE_ONE, SIZE_ONE, 8},
	{"ncclAlltoAll", BATON_COLL_ALLTOALL, BATON_COLL_ALLTOALL, SIZE_RANKS, SIZE_RANKS, 16},
	{"ncclGather", BATON_COLL_GATHER, BATON_COLL_SENDRECV, SIZE_ONE, SIZE_NONE, 17},
	{"ncclScatter", BATON_COLL_SCATTER, BATON_COLL_SENDRECV, SIZE_NONE, SIZE_ONE, 18},
	{"ncclSend", BATON_COLL_SEND, BATON_COLL_SENDRECV, SIZE_ONE, SIZE_NONE, 9},
	{"ncclRecv", BATON_COLL_RECV, BATON_COLL_SENDRECV, SIZE_ONE, SIZE_ONE, 10},
};

const struct nsys_coll *nsys_coll_called(const char *text, size_t bytes)
{
	for (size_t i = 0; text && i < sizeof(colls) / sizeof(colls[0]); i++)
		if (strlen(colls[i].call) == bytes && strncasecmp(colls[i].call, text, bytes) == 0)
			return &colls[i];
	return NULL;
}

const struct nsys_coll *nsys_coll_of(int64_t coll)
{
	for (size_t i = 0; i < sizeof(colls) / sizeof(colls[0]); i++)
		if (colls[i].coll == coll)
			return &colls[i];
	return NULL;
}
