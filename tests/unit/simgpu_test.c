/* The simulated GPU by itself: who waits for whom, and that an op starts when the last thing it
 * needed arrived. Keeps out: streams that overtake themselves, events that hold nobody, engines run
 * twice. */
#include "check.h"
#include "engine/gpu.h"
#include "virtual/machine/meeting.h"

#include <string.h>

enum { GAP = 10, LONG = 1000 };

static struct agenda agenda;
static struct gpu gpu;
static struct gpu_stream *one, *two, *legacy;

static void ignore(struct gpu_op *op)
{
	(void)op;
}

static int64_t gap_ns(struct gpu_op *op, struct gpu_op *after)
{
	(void)op;
	(void)after;
	return GAP;
}

static const struct gpu_hooks hooks = {
	.starting = ignore, .ended = ignore, .meet = ignore, .gap_ns = gap_ns};

static void begin(void)
{
	memset(&agenda, 0, sizeof(agenda));
	gpu_open(&gpu, &agenda, &hooks, NULL);
	one = gpu_stream_new(&gpu, 7, STREAM_BLOCKING);
	two = gpu_stream_new(&gpu, 13, STREAM_BLOCKING);
	legacy = gpu_stream_new(&gpu, 0, STREAM_LEGACY);
}

static void end(void)
{
	while (agenda.n)
		agenda_step(&agenda);
	CHECK(gpu.queued == 0 && gpu.busy == 0, "%u queued, %u busy at the end", gpu.queued, gpu.busy);
	gpu_close(&gpu);
	agenda_free(&agenda);
}

/* A kernel that the test may look at until it drops it. */
static struct gpu_op *kernel(struct gpu_stream *stream, int64_t arrival, uint16_t share)
{
	struct gpu_op *op = gpu_op_hold(gpu_op_new(stream, GPU_KERNEL, ENGINE_COMPUTE));
	op->arrival_ns = arrival;
	op->dur_ns = LONG;
	op->share = share;
	gpu_submit(op);
	return op;
}

static void run(void)
{
	while (agenda.n)
		agenda_step(&agenda);
}

static void expect_start(struct gpu_op *op, int64_t at, const char *what)
{
	CHECK(op->started && op->ended && op->start_ns == at && op->end_ns == at + op->dur_ns,
		  "%s: starts at %lld, not %lld", what, (long long)op->start_ns, (long long)at);
	gpu_op_drop(op);
}

static void stream_order(void)
{
	begin();
	struct gpu_op *a = kernel(one, 100, 512), *b = kernel(one, 50, 512),
				  *c = kernel(one, 9000, 512);
	run();
	expect_start(a, 100, "an idle device waits for the launch");
	expect_start(b, 100 + LONG + GAP, "a stream is in order though the launch came earlier");
	expect_start(c, 9000, "a late launch");
	end();
}

static void shares(void)
{
	begin();
	struct gpu_op *a = kernel(one, 100, 512), *b = kernel(two, 200, 512);
	struct gpu_op *c = kernel(two, 300, 1024);
	run();
	expect_start(a, 100, "half of the device");
	expect_start(b, 200, "the other half at the same time");
	expect_start(c, 200 + LONG + GAP, "all of it when both are over");
	end();
	begin();
	a = kernel(one, 100, 800), b = kernel(two, 200, 800);
	run();
	expect_start(a, 100, "most of the device");
	expect_start(b, 100 + LONG + GAP, "what does not fit waits for the engine");
	end();
}

static void events(void)
{
	begin();
	struct gpu_op *a = kernel(one, 100, 256), *b;
	gpu_stream_wait(two, one->tail);
	b = kernel(two, 150, 256);
	struct gpu_op *c = kernel(two, 160, 256);
	run();
	expect_start(a, 100, "the producer");
	CHECK(b->last == LAST_OP, "the consumer waited for an op last");
	expect_start(b, 100 + LONG + GAP, "the consumer, on another stream");
	expect_start(c, 100 + LONG + GAP + LONG + GAP, "what comes after the consumer");
	end();
}

static void legacy_stream(void)
{
	begin();
	struct gpu_op *a = kernel(one, 100, 256), *b = kernel(legacy, 110, 256),
				  *c = kernel(two, 120, 256);
	run();
	expect_start(a, 100, "a blocking stream");
	expect_start(b, 100 + LONG + GAP, "the legacy default stream waits for it");
	expect_start(c, 100 + 2 * (LONG + GAP), "and the others for the legacy default stream");
	a = kernel(legacy, 9000, 256),
	b = kernel(gpu_stream_new(&gpu, 21, STREAM_NON_BLOCKING), 9010, 256);
	run();
	expect_start(a, 9000, "the legacy default stream");
	expect_start(b, 9010, "a non-blocking stream does not wait for it");
	end();
}

static void copy_engines(void)
{
	begin();
	struct gpu_op *ops[3];
	static const enum gpu_engine engines[] = {ENGINE_COPY_IN, ENGINE_COPY_IN, ENGINE_COPY_OUT};
	for (int i = 0; i < 3; i++) {
		ops[i] = gpu_op_hold(gpu_op_new(i == 1   ? two
										: i == 0 ? one
												 : gpu_stream_new(&gpu, 20, STREAM_NON_BLOCKING),
										GPU_COPY, engines[i]));
		ops[i]->arrival_ns = 100;
		ops[i]->dur_ns = LONG;
		gpu_submit(ops[i]);
	}
	run();
	expect_start(ops[0], 100, "a copy in");
	expect_start(ops[1], 100 + LONG + GAP, "the next copy in waits for the engine");
	expect_start(ops[2], 100, "a copy out has another engine");
	end();
}

static void host_function(void)
{
	begin();
	struct gpu_op *a = kernel(one, 100, 1024);
	struct gpu_op *f = gpu_op_hold(gpu_op_new(one, GPU_HOST_FUNC, ENGINE_NONE));
	f->arrival_ns = 100;
	f->dur_ns = 5 * LONG;
	gpu_submit(f);
	struct gpu_op *b = kernel(one, 120, 1024);
	while (!b->started)
		agenda_step(&agenda);
	CHECK(gpu.idle_from_ns == 100 + LONG, "the device is idle while the host function runs");
	run();
	expect_start(a, 100, "before the host function");
	expect_start(f, 100 + LONG + GAP, "the host function");
	expect_start(b, 100 + LONG + GAP + 5 * LONG + GAP, "after the host function");
	end();
}

static void graph(void)
{
	begin();
	struct gpu_op *nodes[3], *join = gpu_op_new(one, GPU_JOIN, ENGINE_NONE);
	for (int i = 0; i < 3; i++) { /* 0 -> 1, 0 -> 2 */
		nodes[i] = gpu_op_hold(gpu_op_new(one, GPU_KERNEL, ENGINE_COMPUTE));
		nodes[i]->arrival_ns = 100;
		nodes[i]->dur_ns = (i + 1) * LONG;
		nodes[i]->share = 256;
		gpu_op_after(nodes[i], i ? nodes[0] : one->tail);
		gpu_op_after(join, nodes[i]);
	}
	for (int i = 0; i < 3; i++)
		gpu_submit_node(nodes[i]);
	join->arrival_ns = 100;
	gpu_submit(join);
	struct gpu_op *after = kernel(one, 100, 256);
	run();
	expect_start(nodes[0], 100, "the root");
	expect_start(nodes[1], 100 + LONG + GAP, "one branch");
	expect_start(nodes[2], 100 + LONG + GAP, "the other at the same time");
	expect_start(after, 100 + LONG + GAP + 3 * LONG + GAP,
				 "the stream goes on after the longest branch");
	end();
}

static unsigned freed;

static void slot_free(struct gpu *g)
{
	freed += g->queued < GPU_QUEUE_DEPTH;
}

static void queue(void)
{
	begin();
	gpu.slot_free = slot_free;
	freed = 0;
	for (int i = 0; i <= GPU_QUEUE_DEPTH; i++)
		gpu_op_drop(kernel(one, 100, 1024));
	CHECK(gpu.queued == GPU_QUEUE_DEPTH + 1, "%u are queued", gpu.queued);
	while (gpu.queued >= GPU_QUEUE_DEPTH)
		agenda_step(&agenda);
	CHECK(freed == 1, "a place is announced once, when there is one");
	end();
}

static void meeting(void)
{
	struct meetings meetings;
	struct meeting_key key = {.comm = 3, .sequence = 9}, other = {.comm = 3, .sequence = 10};
	meetings_open(&meetings);
	CHECK(!meetings_arrive(&meetings, key, 2, (struct meeting_member){NULL, 0, 5}, 500, 70),
		  "alone");
	CHECK(!meetings_arrive(&meetings, other, 2, (struct meeting_member){NULL, 1, 0}, 900, 70),
		  "another");
	struct meeting *met =
		meetings_arrive(&meetings, key, 2, (struct meeting_member){NULL, 1, 6}, 300, 80);
	CHECK(met && meeting_end(met) == 580, "last arrival and the longer transfer");
	CHECK(met && met->last_device == 5, "who came last in its own time, not who was told last");
	if (met)
		meetings_done(&meetings, met);
	CHECK(meetings.open == 1, "one is still open");
	meetings_close(&meetings);
}

int main(void)
{
	stream_order();
	shares();
	events();
	legacy_stream();
	copy_engines();
	host_function();
	graph();
	queue();
	meeting();
	return finish();
}
