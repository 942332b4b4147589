#include "virtual/calls/nccl.h"

#include "engine/room.h"
#include "virtual/calls/call.h"
#include "virtual/calls/launch.h"
#include "virtual/draw/rng.h"
#include "virtual/machine/cpu.h"
#include "virtual/machine/host.h"
#include "virtual/machine/thread.h"

#include <baton/format.h>
#include <stdio.h>
#include <stdlib.h>

#define NCCL_HOST_NS 6000 /* inside an NCCL call, around its launch */
#define SKEW_NS 1500      /* members of a collective end that far apart */

struct part { /* of a group of collectives or sends: one meeting */
	struct meeting_key key;
	uint8_t coll;
	uint32_t peer; /* of a send or receive: its number in the communicator */
	int64_t bytes;
	uint32_t size;
	int64_t transfer_ns;
};

struct parts {
	uint32_t n, room;
	struct part *at;
	struct gpu_stream *stream;
	struct gpu_launch launch;
};

/* Time to move the data once everybody is there, from the busbw that nccl-tests define. */
static int64_t transfer_ns(const struct comm_def *comm, enum baton_coll coll, int64_t bytes)
{
	int64_t n = comm->size, factor_up = 1, factor_down = 1;
	if (coll == BATON_COLL_ALLREDUCE) {
		factor_up = 2 * (n - 1);
		factor_down = n;
	} else if (coll == BATON_COLL_ALLGATHER || coll == BATON_COLL_REDUCESCATTER ||
			   coll == BATON_COLL_ALLTOALL) {
		factor_up = n - 1;
		factor_down = n;
	}
	int64_t moved = bytes * factor_up / factor_down;
	int64_t ns = comm->latency_ns + moved * 1000 / (comm->bandwidth ? comm->bandwidth : 1);
	return ns * comm->slow / SCALE_ONE;
}

static uint32_t member_of(const struct comm_def *comm, uint32_t device)
{
	for (uint32_t i = 0; i < comm->size; i++)
		if (comm->ranks[i] == device)
			return i;
	fprintf(stderr, "baton-sim: device %u is no member of its communicator\n", device);
	exit(3);
}

static void add_part(struct parts *parts, struct part part)
{
	parts->at = room_for(parts->at, parts->n, &parts->room, 1, sizeof(*parts->at));
	parts->at[parts->n++] = part;
}

static uint64_t *pair_sequence(struct device *device, uint32_t comm, uint32_t peer, bool sends)
{
	struct pair *p = device->pairs;
	while (p && (p->comm != comm || p->peer != peer || p->sends != sends))
		p = p->next;
	if (!p) {
		p = must(calloc(1, sizeof(*p)));
		*p = (struct pair){.comm = comm, .peer = peer, .sends = sends, .next = device->pairs};
		device->pairs = p;
	}
	return &p->sequence;
}

static void add_sendrecv(struct parts *parts, struct device *device, const struct comm_def *comm,
						 const struct insn *insn)
{
	uint32_t self = member_of(comm, device->index), peer = insn->d & 0xffff;
	for (int sends = 0; sends < 2; sends++) {
		if (!(insn->d & (sends ? SENDRECV_SEND : SENDRECV_RECV)))
			continue;
		uint32_t from = sends ? self : peer, to = sends ? peer : self;
		add_part(parts,
				 (struct part){.key = {insn->b, 1 + from * comm->size + to,
									   (*pair_sequence(device, insn->b, peer, sends))++},
							   .coll = sends ? BATON_COLL_SEND : BATON_COLL_RECV,
							   .peer = peer,
							   .bytes = insn->c,
							   .size = 2,
							   .transfer_ns = transfer_ns(comm, BATON_COLL_SENDRECV, insn->c)});
	}
}

static const struct nccl_name {
	const char *kernel;
	enum api call;
} nccl_names[BATON_COLL_END] = {
	[BATON_COLL_ALLREDUCE] = {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", API_NCCL_ALLREDUCE},
	[BATON_COLL_ALLGATHER] = {"ncclDevKernel_AllGather_RING_LL", API_NCCL_ALLGATHER},
	[BATON_COLL_REDUCESCATTER] = {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL",
								  API_NCCL_REDUCESCATTER},
	[BATON_COLL_ALLTOALL] = {"ncclDevKernel_SendRecv", API_NCCL_ALLTOALL},
	[BATON_COLL_BROADCAST] = {"ncclDevKernel_Broadcast_RING_LL", API_NCCL_BROADCAST},
	[BATON_COLL_REDUCE] = {"ncclDevKernel_Reduce_Sum_bf16_RING_LL", API_NCCL_REDUCE},
	[BATON_COLL_SENDRECV] = {"ncclDevKernel_SendRecv", API_NCCL_SEND}};

static void nccl_returns(struct thread *t)
{
	t->call_begin_ns = t->outer_begin_ns;
	call_ended(t, t->insn->kind == INSN_GROUP_END ? API_NCCL_GROUP_END : nccl_names[t->coll].call,
			   0);
	thread_next(t);
}

static void nccl_launched(struct thread *t)
{
	call_send(t, t->op, false);
	call_ended(t, API_LAUNCH_EX, t->op->launch.correlation);
	cpu_busy(t, NCCL_HOST_NS / 6, CAUSE_NCCL_HOST, true, nccl_returns);
}

static void nccl_place(struct thread *t)
{
	t->then = nccl_launched;
	call_wait_for_place(t, t->op->gpu);
}

/* The collectives gathered so far become one kernel. */
static void nccl_launch(struct thread *t)
{
	struct parts *parts = t->parts;
	if (!parts) { /* an empty group */
		nccl_returns(t);
		return;
	}
	struct gpu_op *op = gpu_op_new(parts->stream, GPU_NCCL, ENGINE_NONE);
	op->launch = parts->launch;
	op->launch.meetings = parts->n;
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.correlation = call_correlation(t);
	op->external = true;
	op->outside = parts;
	t->parts = NULL;
	t->op = op;
	call_busy(t, call_draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, nccl_place);
}

static void gather_part(struct thread *t)
{
	const struct insn *insn = t->insn;
	struct gpu_stream *stream = t->process->streams[insn->a];
	struct device *device = stream->gpu->owner;
	const struct comm_def *comm = &call_world(t)->script->comms[insn->b];
	t->coll = insn->kind == INSN_SENDRECV ? BATON_COLL_SENDRECV : insn->d;
	if (!t->parts) {
		t->parts = must(calloc(1, sizeof(*t->parts)));
		t->parts->stream = stream;
		t->parts->launch = (struct gpu_launch){.comm = insn->b,
											   .coll = (uint8_t)t->coll,
											   .name = call_world(t)->nccl_strings[t->coll],
											   .sequence = (int64_t)device->sequences[insn->b]};
	}
	t->parts->launch.bytes += insn->c;
	if (insn->kind == INSN_SENDRECV) {
		add_sendrecv(t->parts, device, comm, insn);
		return;
	}
	add_part(t->parts, (struct part){.key = {insn->b, 0, device->sequences[insn->b]++},
									 .size = comm->size,
									 .transfer_ns = transfer_ns(comm, t->coll, insn->c)});
}

static void nccl_entered(struct thread *t)
{
	t->outer_begin_ns = t->call_begin_ns;
	gather_part(t);
	if (t->group)
		nccl_returns(t);
	else
		nccl_launch(t);
}

static void call_collective(struct thread *t)
{
	call_busy(t, t->group ? NCCL_HOST_NS / 6 : NCCL_HOST_NS, CAUSE_NCCL_HOST, nccl_entered);
}

static void group_entered(struct thread *t)
{
	t->outer_begin_ns = t->call_begin_ns;
	if (t->group)
		t->group--;
	if (t->group)
		nccl_returns(t);
	else
		nccl_launch(t);
}

static void call_group_end(struct thread *t)
{
	call_busy(t, NCCL_HOST_NS, CAUSE_NCCL_HOST, group_entered);
}

const char *call_nccl_kernel(unsigned coll)
{
	return nccl_names[coll].kernel;
}

/* ---- meetings ---- */

void call_meet(struct gpu_op *op)
{
	struct device *device = call_device(op);
	struct host *host = device->process->host;
	struct parts *parts = op->outside;
	for (uint32_t i = 0; i < parts->n; i++) {
		const struct part *part = &parts->at[i];
		if (part->transfer_ns > op->launch.transfer_ns)
			op->launch.transfer_ns = part->transfer_ns;
		host_expect(host, op, op->start_ns + part->transfer_ns);
		struct meeting *meeting = meetings_arrive(
			&host->world->meetings, part->key, part->size,
			(struct meeting_member){op, (uint32_t)(host - host->world->hosts), device->index},
			op->start_ns, part->transfer_ns);
		for (uint32_t m = 0; meeting && m < meeting->size; m++) {
			struct gpu_op *member = meeting->members[m].who;
			int64_t skew = (int64_t)rng_below(rng_hash(member->launch.key, 4, 0, 0), SKEW_NS);
			host_tell(&host->world->hosts[meeting->members[m].host],
					  (struct outside){.op = member,
									   .at_ns = meeting_end(meeting) + skew,
									   .last_ns = meeting->last_ns,
									   .last = meeting->last_device});
		}
		if (meeting)
			meetings_done(&host->world->meetings, meeting);
	}
}

void call_parted(struct gpu_op *op)
{
	struct parts *parts = op->outside;
	struct recorder *recorder = call_device(op)->process->recorder;
	if (!parts)
		return;
	for (uint32_t i = 0; recorder && i < parts->n; i++) {
		const struct part *p = &parts->at[i];
		if (p->key.pair)
			recorder_sendrecv(recorder, op,
							  &(struct recorder_transfer){p->coll, p->key.comm, p->peer, p->bytes,
														  (int64_t)p->key.sequence});
	}
	free(parts->at);
	free(parts);
	op->outside = NULL;
}

const struct call_kind calls_nccl[] = {
	{INSN_COLLECTIVE, call_collective},
	{INSN_SENDRECV, call_collective},
	{INSN_GROUP_END, call_group_end},
	{0},
};
