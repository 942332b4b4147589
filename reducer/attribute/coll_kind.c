#include "attribute/coll_kind.h"

#include "baton/format.h"

#include <stddef.h>
#include <string.h>

static const char *const coll_names[BATON_COLL_END] = {
	"unknown", "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "Barrier", "Broadcast",
	"Reduce",  "Gather",    "Scatter",   "Send",          "Recv",     "SendRecv"};

static const bool full_synchronising[BATON_COLL_END] = {[BATON_COLL_ALLREDUCE] = true,
														[BATON_COLL_ALLGATHER] = true,
														[BATON_COLL_REDUCESCATTER] = true,
														[BATON_COLL_ALLTOALL] = true,
														[BATON_COLL_BARRIER] = true};

const char *coll_kind_name(unsigned kind)
{
	return coll_names[kind];
}

bool coll_kind_synchronises(unsigned kind)
{
	return kind < BATON_COLL_END && full_synchronising[kind];
}

unsigned coll_kind_of_class(const char *class)
{
	static const struct {
		const char *class;
		enum baton_coll coll;
	} kinds[] = {{"nccl.allreduce", BATON_COLL_ALLREDUCE},
				 {"nccl.allgather", BATON_COLL_ALLGATHER},
				 {"nccl.reducescatter", BATON_COLL_REDUCESCATTER},
				 {"nccl.alltoall", BATON_COLL_ALLTOALL},
				 {"nccl.broadcast", BATON_COLL_BROADCAST},
				 {"nccl.reduce", BATON_COLL_REDUCE},
				 {"nccl.sendrecv", BATON_COLL_SENDRECV}};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(class, kinds[i].class) == 0)
			return kinds[i].coll;
	return BATON_COLL_UNKNOWN;
}
