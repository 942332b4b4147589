/* Runs of kernels of which nothing is told but their times, launch and name: nearly all ops of a
 * device. They are found straight in the columns of a block, where all calls are kept. What is not
 * one goes the long way, plain_ops_next(). */
#ifndef ATTRIBUTE_PLAIN_RUN_H
#define ATTRIBUTE_PLAIN_RUN_H

#include "attribute/plain_ops.h"

/* What stays as it is while a run is taken. */
struct plain_run {
	struct op_columns c; /* of the block in hand */
	struct plain_ops *plain;
	const struct feed *feed;
	const struct idmap *streams, *strings;
	const struct kept_calls *calls;
	uint32_t last; /* the last row of the block */
	int64_t until; /* a row that begins later may not come next */
};

struct run_op { /* an op of a run: RUN_FLAGS are its flags */
	int64_t start, end;
	const struct kept_call *call;
	uint32_t number; /* of its call */
	uint32_t name, slot, stream;
	uint8_t group;
};

enum { RUN_FLAGS = OP_MATCHED | OP_FIRST_OF_CALL | OP_FIRST_KERNEL };

/* The rows from plain->at on. `last` is 0 where none can be taken in a run. */
static inline struct plain_run plain_run_open(struct plain_ops *plain)
{
	struct feed *feed = plain->feed;
	struct plain_run run = {.c = plain->columns,
							.plain = plain,
							.feed = feed,
							.streams = &feed->trace.stream_ids,
							.strings = &feed->trace.string_ids,
							.calls = feed->kept,
							.last = plain->last,
							.until = plain->until};
	if (feed->calls_left || plain->error || plain->odd)
		run.last = 0;
	if (feed->collectives_left && rows_value(&feed->collectives, COLL_START) < run.until)
		run.until = rows_value(&feed->collectives, COLL_START);
	return run;
}

/* Its launch, if that is a plain call and had no op before. */
static inline bool plain_run_call(const struct plain_run *run, uint32_t i, struct run_op *op)
{
	const struct feed *feed = run->feed;
	const uint64_t correlation = (uint64_t)run->c.correlation[i];
	const uint32_t *of = kept_calls_of(run->calls, correlation);
	const uint64_t seen = feed->colls_seen[correlation / 64 % COLLS_SEEN] >> correlation % 64;
	if (!of || !*of || *of == KEPT_NO_CALL || seen & 1)
		return false;
	op->number = *of - 1;
	op->call = &run->calls->at[op->number];
	const uint32_t mask = feed->names[op->call->name].call;
	return !run->calls->flags[op->number] && op->call->start <= op->start && mask &&
		   !(mask & HOST_MASK(HOST_BIT_GRAPH_LAUNCH));
}

/* Fills `op` with row `i`, if that is a kernel of the device that comes next and no collective. */
static inline bool plain_run_op(const struct plain_run *run, uint32_t i, struct run_op *op)
{
	const uint64_t stream = (uint64_t)run->c.stream[i], name = (uint64_t)run->c.name[i];
	const int64_t start = run->c.start[i], next = run->c.start[i + 1];
	if (next == start || next >= run->until || run->c.kind[i] != BATON_KERNEL ||
		stream >= run->streams->n_dense || name >= run->strings->n_dense)
		return false;
	op->start = start;
	op->end = start + run->c.dur[i];
	op->name = run->strings->dense[name];
	op->stream = run->streams->dense[stream];
	op->slot = run->feed->slots[op->stream];
	const struct name_facts *facts = &run->feed->names[op->name];
	op->group = (uint8_t)facts->kernel.group;
	return op->slot && facts->classified && op->group != GROUP_NCCL && plain_run_call(run, i, op);
}

/* The op is taken. Returns its step. */
static inline int32_t plain_run_take(const struct plain_run *run, const struct run_op *op)
{
	struct opstream *stream = run->plain->stream;
	run->calls->flags[op->number] = KEPT_LAUNCHED;
	return stream->slot_step[op->slot] = step_of_launch(stream, op->call->start);
}

#endif
