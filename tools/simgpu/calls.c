#include "calls.h"

#include "cpu.h"
#include "rng.h"
#include "thread.h"

#include <baton/format.h>
#include <stdio.h>
#include <stdlib.h>

#define FLOOR_NS \
	5500 /* launch begin to start on an idle device, of the typical machine: facts say 4-8 us */
#define DOORBELL_NS 300 /* the device is told so long before the call returns */
#define PEER_GAP_NS \
	2000 /* from the end on another device, or of a host function, to the start here */
#define NCCL_HOST_NS 6000 /* inside an NCCL call, around its launch */
#define COPY_BYTES_PER_US 24000
#define COPY_PEER_BYTES_PER_US 120000
#define COPY_LOCAL_BYTES_PER_US 1200000
#define COPY_LEAST_NS 1500
#define LONG_LOAD_NS 1000000
#define SKEW_NS 1500 /* members of a collective end that far apart */

enum purpose { DRAW_WORK = 1, DRAW_CALL, DRAW_FLOOR, DRAW_DURATION, DRAW_KEY, DRAW_WAKE };

struct part { /* of a group of collectives or sends: one meeting */
	struct meeting_key key;
	uint32_t size;
	int64_t transfer_ns;
};

struct parts {
	uint32_t n, room;
	struct part *at;
	struct gpu_stream *stream;
	struct gpu_launch launch;
};

static struct device *device_of(const struct gpu_op *op)
{
	return op->gpu->owner;
}

static struct world *world_of(const struct thread *t)
{
	return t->process->world;
}

static int64_t draw(const struct thread *t, enum sim_table table, enum purpose purpose)
{
	return table_draw(table, thread_random(t, purpose));
}

/* ---- a call: begin, some CPU time, end ---- */

static void call_busy(struct thread *t, int64_t ns, enum cause cause, void (*then)(struct thread *))
{
	t->call_begins = true;
	cpu_busy(t, ns, cause, true, then);
}

static void record_call(struct thread *t, enum api name, uint64_t correlation)
{
	if (t->process->recorder)
		recorder_call(t->process->recorder,
					  (struct recorder_thread_row){t->index, t->call_begin_ns, thread_now(t)}, name,
					  correlation, &t->log);
	if (!world_of(t)->truth && t->log.n > 16) /* only the sampler asks, and only about silence */
		t->log.n = 0;
}

static uint64_t next_correlation(struct thread *t)
{
	return ++t->process->correlation;
}

/* ---- launches ---- */

static uint32_t stream_index(const struct gpu_op *op)
{
	const struct process *process = device_of(op)->process;
	for (uint32_t i = 0; i < process->def->n_streams; i++)
		if (process->streams[i] == op->stream)
			return i;
	return 0;
}

/* The call is about to return: the op is on its way. */
static void send(struct thread *t, struct gpu_op *op, bool as_node)
{
	int64_t now = thread_now(t);
	int64_t floor = FLOOR_NS * draw(t, TABLE_LAUNCH_FLOOR, DRAW_FLOOR) / SCALE_ONE;
	int64_t path = floor - table_median(TABLE_LAUNCH_CALL);
	op->launch.thread = t;
	op->launch.call_begin_ns = t->call_begin_ns;
	op->launch.call_end_ns = now;
	op->launch.step = t->process->step;
	op->arrival_ns = now - DOORBELL_NS + (path > 1000 ? path : 1000);
	if (as_node)
		gpu_submit_node(op);
	else
		gpu_submit(op);
}

static void op_sent(struct thread *t)
{
	struct gpu_op *op = t->op;
	send(t, op, false);
	record_call(t, op->kind == GPU_NCCL ? API_LAUNCH_EX : API_LAUNCH, op->launch.correlation);
	thread_next(t);
}

/* The launch call has done its work: it returns when the queue has a place. */
static void wait_for_place(struct thread *t, struct gpu *gpu)
{
	struct device *device = gpu->owner;
	if (gpu->queued < GPU_QUEUE_DEPTH) {
		t->then(t);
		return;
	}
	t->asked_ns = thread_now(t);
	thread_list_push(&device->launchers, t);
}

static void place_found(void *who)
{
	struct thread *t = who;
	int64_t now = thread_now(t);
	log_add(&t->log, t->asked_ns, now, CAUSE_QUEUE_FULL, NULL);
	log_lead_ends(&t->log); /* nobody is further ahead than a full queue */
	if (t->process->recorder && now > t->asked_ns)
		recorder_overhead(t->process->recorder,
						  (struct recorder_thread_row){t->index, t->asked_ns, now},
						  BATON_OVERHEAD_BUFFER_FULL);
	t->then(t);
}

void call_slot_free(struct gpu *gpu)
{
	struct device *device = gpu->owner;
	if (gpu->queued >= GPU_QUEUE_DEPTH)
		return;
	struct thread *t = thread_list_pop(&device->launchers);
	if (t)
		agenda_add(gpu->agenda, gpu->agenda->now_ns, place_found, t);
}

static void launch_done(struct thread *t)
{
	t->then = op_sent;
	wait_for_place(t, t->op->gpu);
}

static void launch_begins(struct thread *t)
{
	call_busy(t, draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, launch_done);
}

static void tool_done(struct thread *t)
{
	if (t->process->recorder)
		recorder_overhead(
			t->process->recorder,
			(struct recorder_thread_row){t->index, thread_now(t) - t->process->def->launch_extra_ns,
										 thread_now(t)},
			BATON_OVERHEAD_PROFILER);
	launch_begins(t);
}

static void launch(struct thread *t)
{
	int64_t extra = t->process->def->launch_extra_ns;
	if (extra)
		cpu_busy(t, extra, CAUSE_PROFILER, true, tool_done);
	else
		launch_begins(t);
}

static int64_t kernel_duration(const struct thread *t, const struct kernel_def *def,
							   const struct device *device, uint64_t dice)
{
	const struct script *script = world_of(t)->script;
	int64_t ns = def->dur_ns;
	int64_t noise = (int64_t)def->jitter * script->noise.kernel / SCALE_ONE;
	ns += ns * (table_draw(TABLE_REPEAT, dice) - SCALE_ONE) / SCALE_ONE * noise / SCALE_ONE;
	if (def->sequence && script->sequence_spread) {
		uint64_t length =
			rng_hash(script->seed, 0x6c656e, device->index, (uint64_t)(int64_t)t->step);
		ns = ns *
			 (SCALE_ONE - script->sequence_spread +
			  (int64_t)rng_below(length, 2 * script->sequence_spread + 1)) /
			 SCALE_ONE;
	}
	ns = ns * thread_step_length(t) / SCALE_ONE * device->def->slow / SCALE_ONE;
	return ns > 500 ? ns : 500;
}

void call_kernel(struct thread *t)
{
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	const struct kernel_def *def = &world_of(t)->script->kernels[t->insn->b];
	struct gpu_op *op = gpu_op_new(stream, GPU_KERNEL, ENGINE_COMPUTE);
	op->share = def->share;
	op->dur_ns = kernel_duration(t, def, stream->gpu->owner, thread_random(t, DRAW_DURATION));
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.name = def->name;
	op->launch.correlation = next_correlation(t);
	t->op = op;
	launch(t);
}

/* ---- copies ---- */

static const struct copy {
	uint8_t engine, direction;
	bool pageable;
	uint32_t bytes_per_us;
} copies[] = {
	[COPY_HTOD_PINNED] = {ENGINE_COPY_IN, BATON_COPY_HTOD, false, COPY_BYTES_PER_US},
	[COPY_HTOD_PAGEABLE] = {ENGINE_COPY_IN, BATON_COPY_HTOD, true, COPY_BYTES_PER_US / 3},
	[COPY_DTOH_PINNED] = {ENGINE_COPY_OUT, BATON_COPY_DTOH, false, COPY_BYTES_PER_US},
	[COPY_DTOH_PAGEABLE] = {ENGINE_COPY_OUT, BATON_COPY_DTOH, true, COPY_BYTES_PER_US / 3},
	[COPY_DTOD] = {ENGINE_COPY_LOCAL, BATON_COPY_DTOD, false, COPY_LOCAL_BYTES_PER_US},
	[COPY_PEER] = {ENGINE_COPY_LOCAL, BATON_COPY_PEER, false, COPY_PEER_BYTES_PER_US}};

static void device_reached(void *who, struct gpu_op *op);

static void copy_sent(struct thread *t)
{
	struct gpu_op *op = t->op;
	bool blocking = op->launch.blocking;
	if (blocking)
		gpu_op_hold(op);
	send(t, op, false);
	if (!blocking) {
		record_call(t, op->kind == GPU_MEMSET ? API_MEMSET_ASYNC : API_MEMCPY_ASYNC,
					op->launch.correlation);
		thread_next(t);
		return;
	}
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	gpu_watch(op, device_reached, t);
}

static void copy_done(struct thread *t)
{
	t->then = copy_sent;
	wait_for_place(t, t->op->gpu);
}

void call_copy(struct thread *t)
{
	const struct copy *copy = &copies[t->insn->b];
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_COPY, copy->engine);
	op->dur_ns = COPY_LEAST_NS + t->insn->c * 1000 / copy->bytes_per_us;
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.bytes = t->insn->c;
	op->launch.copy_dir = copy->direction;
	op->launch.pageable = op->launch.blocking = copy->pageable;
	op->launch.correlation = next_correlation(t);
	t->op = op;
	call_busy(t, draw(t, TABLE_LAUNCH_CALL, DRAW_CALL),
			  copy->pageable ? CAUSE_SYNC : CAUSE_LAUNCH_CALL, copy_done);
}

void call_memset(struct thread *t)
{
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_MEMSET, ENGINE_COMPUTE);
	op->share = GPU_SHARE_ALL / 8;
	op->dur_ns = COPY_LEAST_NS + t->insn->c * 1000 / COPY_LOCAL_BYTES_PER_US;
	op->launch.key = thread_random(t, DRAW_KEY);
	op->launch.bytes = t->insn->c;
	op->launch.correlation = next_correlation(t);
	t->op = op;
	call_busy(t, draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, copy_done);
}

/* ---- synchronisation ---- */

static void sync_returns(struct thread *t)
{
	enum api name = API_STREAM_SYNC;
	uint64_t correlation = 0;
	switch (t->insn->kind) {
	case INSN_COPY:
		name = API_MEMCPY;
		correlation = t->op->launch.correlation;
		t->op->launch.call_end_ns = thread_now(t);
		gpu_op_drop(t->op);
		break;
	case INSN_SYNC_DEVICE:
		name = API_DEVICE_SYNC;
		break;
	case INSN_SYNC_EVENT:
		name = API_EVENT_SYNC;
		break;
	case INSN_FREE:
		name = API_FREE;
		break;
	default:
		break;
	}
	log_waited(&t->log, thread_now(t) - t->call_begin_ns,
			   t->insn->kind == INSN_FREE ? CAUSE_ALLOC : CAUSE_SYNC);
	record_call(t, name, correlation);
	thread_next(t);
}

/* What the thread waited for is over; it takes a while to notice. */
static void device_reached(void *who, struct gpu_op *op)
{
	struct thread *t = who;
	(void)op;
	enum cause cause = t->insn->kind == INSN_FREE ? CAUSE_ALLOC : CAUSE_SYNC;
	log_add(&t->log, t->asked_ns, thread_now(t), cause, NULL);
	int64_t ns = t->insn->kind == INSN_FREE ? t->insn->c : draw(t, TABLE_SYNC_WAKE, DRAW_WAKE);
	cpu_busy(t, ns, cause, t->insn->kind == INSN_FREE, sync_returns);
}

/* Waits for the tails of all streams of a device, one after the other. */
static void wait_for_streams(void *who, struct gpu_op *ended)
{
	struct thread *t = who;
	struct gpu *gpu = &t->process->devices[t->insn->a].gpu;
	(void)ended;
	for (uint32_t i = 0; i < gpu->n_streams; i++)
		if (gpu->streams[i]->tail && !gpu->streams[i]->tail->ended) {
			gpu_watch(gpu->streams[i]->tail, wait_for_streams, t);
			return;
		}
	device_reached(t, NULL);
}

static void sync_waits(struct thread *t)
{
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	switch (t->insn->kind) {
	case INSN_SYNC_STREAM:
		gpu_watch(t->process->streams[t->insn->a]->tail, device_reached, t);
		break;
	case INSN_SYNC_EVENT:
		gpu_watch(t->process->events[t->insn->a], device_reached, t);
		break;
	default:
		wait_for_streams(t, NULL);
	}
}

void call_sync(struct thread *t)
{
	call_busy(t, draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_SYNC, sync_waits);
}

void call_free(struct thread *t)
{
	call_busy(t, draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_ALLOC, sync_waits);
}

/* ---- calls that only take time ---- */

static void malloc_done(struct thread *t)
{
	record_call(t, API_MALLOC, 0);
	thread_next(t);
}

void call_malloc(struct thread *t)
{
	call_busy(t, t->insn->c, CAUSE_ALLOC, malloc_done);
}

static void module_loaded(struct thread *t)
{
	int32_t step = t->process->step;
	if (step >= 0 && step < (int32_t)world_of(t)->script->n_steps && t->insn->c >= LONG_LOAD_NS)
		t->process->loads[step] = 1;
	record_call(t, API_MODULE_LOAD, 0);
	thread_next(t);
}

void call_module_load(struct thread *t)
{
	call_busy(t, t->insn->c, CAUSE_MODULE_LOAD, module_loaded);
}

static void recorded(struct thread *t)
{
	struct gpu_op **event = &t->process->events[t->insn->a];
	gpu_op_drop(*event);
	*event = gpu_op_hold(t->process->streams[t->insn->b]->tail);
	record_call(t, API_EVENT_RECORD, 0);
	thread_next(t);
}

void call_record(struct thread *t)
{
	call_busy(t, draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_API, recorded);
}

struct peer_wait { /* the stream waits for an op of another device */
	struct thread *thread;
	uint32_t stream;
	int64_t from_ns;
};

static void peer_over(void *who, struct gpu_op *ended)
{
	struct peer_wait *wait = who;
	if (ended)
		recorder_held_up(wait->thread->process->recorder, BATON_SYNC_PEER, wait->stream,
						 wait->from_ns, ended->end_ns);
	free(wait);
}

static void stream_waits(struct thread *t)
{
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	struct gpu_op *op = t->process->events[t->insn->b];
	gpu_stream_wait(stream, op);
	if (op && !op->ended && op->gpu != stream->gpu && t->process->recorder) {
		struct peer_wait *wait = must(malloc(sizeof(*wait)));
		*wait = (struct peer_wait){t, t->insn->a, thread_now(t)};
		gpu_watch(op, peer_over, wait);
	}
	record_call(t, API_STREAM_WAIT, 0);
	thread_next(t);
}

void call_wait(struct thread *t)
{
	call_busy(t, draw(t, TABLE_CALL_SHORT, DRAW_CALL), CAUSE_API, stream_waits);
}

static void host_func_sent(struct thread *t)
{
	send(t, t->op, false);
	record_call(t, API_HOST_FUNC, 0);
	thread_next(t);
}

void call_host_func(struct thread *t)
{
	struct gpu_op *op = gpu_op_new(t->process->streams[t->insn->a], GPU_HOST_FUNC, ENGINE_NONE);
	op->dur_ns = t->insn->c;
	op->launch.key = thread_random(t, DRAW_KEY);
	t->op = op;
	call_busy(t, draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_API, host_func_sent);
}

/* ---- graphs ---- */

static void graph_sent(struct thread *t)
{
	const struct graph_def *graph = &world_of(t)->script->graphs[t->insn->b];
	struct gpu_stream *stream = t->process->streams[t->insn->a];
	struct gpu_op **ops = must(malloc((graph->n_nodes + 1) * sizeof(struct gpu_op *)));
	bool *followed = must(calloc(graph->n_nodes + 1, 1));
	uint64_t correlation = next_correlation(t), dice = thread_random(t, DRAW_DURATION);
	struct gpu_op *join = gpu_op_new(stream, GPU_JOIN, ENGINE_NONE);
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		const struct graph_node *node = &graph->nodes[i];
		const struct kernel_def *def = &world_of(t)->script->kernels[node->kernel];
		struct gpu_op *op = ops[i] = gpu_op_new(stream, GPU_KERNEL, ENGINE_COMPUTE);
		op->share = def->share;
		op->dur_ns = kernel_duration(t, def, stream->gpu->owner, rng_hash(dice, i, 0, 0));
		op->queued = i == 0;
		op->node = i > 0;
		op->launch.key = rng_hash(dice, i, 1, 0);
		op->launch.name = def->name;
		op->launch.correlation = correlation;
		op->launch.node = i + 1;
		gpu_op_after(op, node->after < 0 ? stream->tail : ops[node->after]);
		for (uint32_t w = 0; node->after < 0 && w < stream->n_waits; w++)
			gpu_op_after(op, stream->waits[w]);
		if (node->after >= 0)
			followed[node->after] = true;
	}
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (!followed[i])
			gpu_op_after(join, ops[i]);
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		send(t, ops[i], true);
	free(ops);
	free(followed);
	send(t, join, false);
	record_call(t, API_GRAPH_LAUNCH, correlation);
	thread_next(t);
}

void call_graph(struct thread *t)
{
	const struct graph_def *graph = &world_of(t)->script->graphs[t->insn->b];
	int64_t ns = 2 * draw(t, TABLE_LAUNCH_CALL, DRAW_CALL) + 20 * (int64_t)graph->n_nodes;
	call_busy(t, ns, CAUSE_LAUNCH_CALL, graph_sent);
}

/* ---- collectives ---- */

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
	if (parts->n == parts->room) {
		parts->room = parts->room ? 2 * parts->room : 1;
		parts->at = must(realloc(parts->at, parts->room * sizeof(*parts->at)));
	}
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
	record_call(t, t->insn->kind == INSN_GROUP_END ? API_NCCL_GROUP_END : nccl_names[t->coll].call,
				0);
	thread_next(t);
}

static void nccl_launched(struct thread *t)
{
	send(t, t->op, false);
	record_call(t, API_LAUNCH_EX, t->op->launch.correlation);
	cpu_busy(t, NCCL_HOST_NS / 6, CAUSE_NCCL_HOST, true, nccl_returns);
}

static void nccl_place(struct thread *t)
{
	t->then = nccl_launched;
	wait_for_place(t, t->op->gpu);
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
	op->launch.correlation = next_correlation(t);
	op->external = true;
	op->outside = parts;
	t->parts = NULL;
	t->op = op;
	call_busy(t, draw(t, TABLE_LAUNCH_CALL, DRAW_CALL), CAUSE_LAUNCH_CALL, nccl_place);
}

static void gather_part(struct thread *t)
{
	const struct insn *insn = t->insn;
	struct gpu_stream *stream = t->process->streams[insn->a];
	struct device *device = stream->gpu->owner;
	const struct comm_def *comm = &world_of(t)->script->comms[insn->b];
	t->coll = insn->kind == INSN_SENDRECV ? BATON_COLL_SENDRECV : insn->d;
	if (!t->parts) {
		t->parts = must(calloc(1, sizeof(*t->parts)));
		t->parts->stream = stream;
		t->parts->launch = (struct gpu_launch){.comm = insn->b,
											   .coll = (uint8_t)t->coll,
											   .name = world_of(t)->nccl_strings[t->coll],
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

void call_collective(struct thread *t)
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

void call_group_end(struct thread *t)
{
	call_busy(t, NCCL_HOST_NS, CAUSE_NCCL_HOST, group_entered);
}

const char *call_nccl_kernel(unsigned coll)
{
	return nccl_names[coll].kernel;
}

/* ---- what the GPUs tell this driver ---- */

static int64_t gap_ns(struct gpu_op *op, struct gpu_op *after)
{
	if (after->gpu != op->gpu || after->kind == GPU_HOST_FUNC)
		return PEER_GAP_NS;
	int64_t ns = table_draw(TABLE_QUEUED_GAP, rng_hash(op->launch.key, 3, 0, 0));
	return op->node ? ns / 2 : ns;
}

static void starting(struct gpu_op *op)
{
	struct device *device = device_of(op);
	struct gpu *gpu = op->gpu;
	if (!gpu_op_is_work(op) || !device->process->world->truth)
		return;
	if (gpu->busy == 0 && gpu->idle_from_ns >= 0)
		account_idle(&device->account, op, gpu->idle_from_ns);
	account_start(&device->account, op);
}

static void op_ended(struct gpu_op *op)
{
	struct device *device = device_of(op);
	struct recorder *recorder = device->process->recorder;
	if (op->outside) {
		free(((struct parts *)op->outside)->at);
		free(op->outside);
		op->outside = NULL;
	}
	if (op->kind == GPU_JOIN)
		return;
	if (op->kind == GPU_HOST_FUNC) {
		if (recorder)
			recorder_held_up(recorder, BATON_SYNC_HOST_FUNC, stream_index(op), op->start_ns,
							 op->end_ns);
		return;
	}
	account_op(&device->account, op);
	if (recorder)
		recorder_op(recorder, op, stream_index(op));
}

/* The end of a collective, in its own host's time. */
static void met(void *who)
{
	struct gpu_op *op = who;
	if (op->gpu->agenda->now_ns > op->launch.met_ns)
		op->launch.met_ns = op->gpu->agenda->now_ns;
	if (--op->launch.meetings == 0)
		gpu_finish(op);
}

void call_meeting_over(struct gpu_op *op, int64_t at_ns)
{
	agenda_add_outside(op->gpu->agenda, at_ns, op->launch.key >> 1, met, op);
}

static void meet(struct gpu_op *op)
{
	struct device *device = device_of(op);
	struct place *place = device->process->place;
	struct parts *parts = op->outside;
	for (uint32_t i = 0; i < parts->n; i++) {
		const struct part *part = &parts->at[i];
		place_expect(place, op, op->start_ns + part->transfer_ns);
		struct meeting *meeting =
			meetings_arrive(&place->world->meetings, part->key, part->size,
							(struct meeting_member){op, (uint32_t)(place - place->world->places)},
							op->start_ns, part->transfer_ns);
		for (uint32_t m = 0; meeting && m < meeting->size; m++) {
			struct gpu_op *member = meeting->members[m].who;
			int64_t skew = (int64_t)rng_below(rng_hash(member->launch.key, 4, 0, 0), SKEW_NS);
			place_tell(&place->world->places[meeting->members[m].place], member,
					   meeting_end(meeting) + skew);
		}
		if (meeting)
			meetings_done(&place->world->meetings, meeting);
	}
}

const struct gpu_hooks call_hooks = {
	.starting = starting, .ended = op_ended, .meet = meet, .gap_ns = gap_ns};
