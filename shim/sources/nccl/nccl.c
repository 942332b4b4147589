#include "sources/nccl/nccl.h"

#include "base/clock.h"
#include "base/perthread.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/nccl_launch.h"
#include "ring/stack.h"

#include <pthread.h>
#include <string.h>

#define OPERATIONS 1000u
#define BIRTHS 64u

struct operation {
	struct nccl_comm *comm;
	const void *stream;
	uint64_t bytes, sequence;
	uint32_t correlation;
	uint32_t peer; /* 1 + the rank, 0 none */
	int16_t type;
	uint8_t coll;
};

/* Since the outermost group began: what waits for its kernel, and what waits to be born. */
struct group {
	struct perthread_block block;
	unsigned depth;
	unsigned operations, births;
	uint64_t dropped; /* operations that found no room */
	struct operation operation[OPERATIONS];
	struct nccl_birth birth[BIRTHS];
};

static SHIM_TLS struct group *mine;

static void forget(void)
{
	mine = NULL;
}

static struct perthread groups = {.bytes = sizeof(struct group), .gone = forget};

static struct group *group_here(void)
{
	if (SHIM_LIKELY(mine != NULL))
		return mine;
	mine = perthread_open(&groups);
	if (mine) {
		mine->depth = mine->operations = mine->births = 0;
		mine->dropped = 0;
	}
	return mine;
}

/* ---- operations and their kernels ---- */

static const struct {
	const char *name;
	uint8_t bytes;
} types[] = {{"int8", 1},    {"uint8", 1},    {"int32", 4},      {"uint32", 4},
			 {"int64", 8},   {"uint64", 8},   {"float16", 2},    {"float32", 4},
			 {"float64", 8}, {"bfloat16", 2}, {"float8e4m3", 1}, {"float8e5m2", 1}};
#define TYPES (sizeof(types) / sizeof(types[0]))

void nccl_operation(struct nccl_call *call, const struct nccl_args *args)
{
	struct group *group = call->inner ? NULL : group_here();
	struct nccl_comm *comm = group ? nccl_comm_use(args->comm) : NULL;
	if (!comm)
		return;
	uint64_t sequence = nccl_comm_count(comm, args->coll);
	if (group->operations == OPERATIONS) {
		group->dropped++;
		return;
	}
	bool known = args->type >= 0 && (size_t)args->type < TYPES;
	uint64_t ranks = args->per_rank ? (uint64_t)nccl_comm_member(comm).size : 1;
	group->operation[group->operations++] =
		(struct operation){.comm = comm,
						   .stream = args->stream,
						   .bytes = known ? args->count * types[args->type].bytes * ranks : 0,
						   .sequence = sequence,
						   .peer = args->peer > 0 ? (uint32_t)args->peer : 0,
						   .type = known ? (int16_t)args->type : -1,
						   .coll = args->coll};
}

/* The part of a kernel's name that tells a collective; one without it may be any. */
static const char *const coll_in_symbol[BATON_COLL_END] = {
	[BATON_COLL_ALLREDUCE] = "AllReduce",
	[BATON_COLL_ALLGATHER] = "AllGather",
	[BATON_COLL_REDUCESCATTER] = "ReduceScatter",
	[BATON_COLL_BROADCAST] = "Broadcast",
	[BATON_COLL_REDUCE] = "_Reduce_",
};

/* May a kernel of this name carry operations of this communicator? */
static bool carries(const struct group *group, const struct nccl_comm *comm, const char *symbol)
{
	bool named = false;
	for (unsigned i = 0; symbol && i < BATON_COLL_END; i++)
		named |= coll_in_symbol[i] && strstr(symbol, coll_in_symbol[i]);
	if (!named)
		return true;
	for (unsigned i = 0; i < group->operations; i++) {
		const struct operation *op = &group->operation[i];
		const char *part = coll_in_symbol[op->coll];
		if (op->comm == comm && !op->correlation && part && strstr(symbol, part))
			return true;
	}
	return false;
}

/* NCCL launches per communicator, on one of the streams that its operations named. When an
 * operation takes several kernels they all find it served by the first. */
void nccl_saw_launch(const void *stream, const char *symbol, uint32_t correlation)
{
	struct group *group = mine;
	const struct nccl_comm *comm = NULL;
	if (!group)
		return;
	for (unsigned i = 0; !comm && i < group->operations; i++) {
		const struct operation *op = &group->operation[i];
		if (!op->correlation && op->stream == stream && carries(group, op->comm, symbol))
			comm = op->comm;
	}
	for (unsigned i = 0; comm && i < group->operations; i++)
		if (group->operation[i].comm == comm && !group->operation[i].correlation)
			group->operation[i].correlation = correlation;
}

/* Of a group that failed only what was launched is written. */
static void write_operations(struct group *group, struct baton_lane *lane, bool failed)
{
	for (unsigned i = 0; i < group->operations; i++) {
		const struct operation *op = &group->operation[i];
		if (failed && !op->correlation)
			continue;
		lane_put(lane, (struct baton_slot){
						   .begin = op->bytes,
						   .end = baton_slot_order(op->sequence, op->peer),
						   .name = nccl_comm_id(op->comm),
						   .aux = op->coll,
						   .type = BATON_SLOT_COLLECTIVE,
						   .correlation = op->correlation,
						   .stack = op->type < 0 ? 0 : dict_literal(types[op->type].name)});
	}
	if (group->dropped)
		baton_lane_lose(&lane->dropped_others, group->dropped);
}

/* ---- groups and births ---- */

void nccl_group_started(void)
{
	struct group *group = group_here();
	if (group)
		group->depth++;
}

void nccl_group_ends(bool run)
{
	struct group *group = mine;
	if (!group || !group->depth)
		return;
	group->depth--;
	if (!run && !group->depth)
		group->operations = 0;
}

static bool settle(const struct nccl_birth *birth, bool last)
{
	void *comm = *birth->out;
	if (!comm || (!last && comm == birth->before))
		return false;
	nccl_comm_add(comm, birth->member);
	return true;
}

void nccl_born(const struct nccl_call *call, const struct nccl_birth *birth, int result)
{
	struct group *group = call->inner ? NULL : group_here();
	if (!group || !birth->out || !nccl_worked(result))
		return;
	if (!settle(birth, group->depth == 0) && group->depth && group->births < BIRTHS)
		group->birth[group->births++] = *birth;
}

/* ---- calls ---- */

static void open_clock(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!recording_is_open()) /* which has opened it */
		pthread_once(&once, clock_open);
}

void nccl_begin(struct nccl_call *call, const char *name)
{
	int saved_errno;

	*call = (struct nccl_call){.name = name, .outermost = guard_raise(GUARD_NCCL)};
	call->inner = !call->outermost || guard_is_up(GUARD_SHIM) || recording_is(RECORDING_NO_NCCL);
	if (call->inner)
		return;
	struct baton_lane *lane = recording_is_open() ? lane_here() : NULL;
	if (!guard_enter(&saved_errno))
		return;
	open_clock();
	call->waiting = mine ? mine->operations : 0;
	call->lane = lane;
	call->stack = lane ? stack_here() : 0;
	call->timed = true;
	call->begin = clock_ticks();
	guard_leave(saved_errno);
}

static void take_back(const struct nccl_call *call, struct group *group)
{
	while (group->operations > call->waiting) {
		const struct operation *op = &group->operation[--group->operations];
		nccl_comm_uncount(op->comm, op->coll);
	}
}

static void finish_group(struct group *group, struct baton_lane *lane, bool failed)
{
	for (unsigned i = 0; i < group->births; i++)
		settle(&group->birth[i], true);
	if (lane)
		write_operations(group, lane, failed);
	group->operations = group->births = 0;
	group->dropped = 0;
}

void nccl_end(struct nccl_call *call, int result)
{
	int saved_errno;

	if (call->outermost)
		guard_lower(GUARD_NCCL);
	if (call->inner || !call->timed)
		return;
	uint64_t end = clock_ticks();
	struct baton_lane *lane = NULL; /* of a call that began in a window, until that is over */
	if (recording_is_open())
		lane = lane_here();
	else if (!recording_is_over())
		lane = call->lane;
	if (!guard_enter(&saved_errno))
		return;
	if (lane)
		lane_put(lane, (struct baton_slot){.begin = call->begin,
										   .end = end,
										   .name = dict_literal(call->name),
										   .aux = nccl_worked(result) ? 0 : (uint16_t)result,
										   .type = BATON_SLOT_CALL,
										   .flags = nccl_worked(result) ? 0 : BATON_SLOT_FAILED,
										   .stack = call->stack});
	if (mine && !nccl_worked(result))
		take_back(call, mine);
	if (mine && mine->depth == 0)
		finish_group(mine, lane, !nccl_worked(result));
	guard_leave(saved_errno);
}
