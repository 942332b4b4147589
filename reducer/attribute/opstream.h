/* The ops of one device in op order: the processes merged, each op joined to its launch
 * (docs/ATTRIBUTION.md section 1). It reads OPSTREAM_AHEAD ops ahead of the current one, because
 * later ops decide what a launch was (a graph, a pageable copy) and how full the queue is. */
#ifndef ATTRIBUTE_OPSTREAM_H
#define ATTRIBUTE_OPSTREAM_H

#include "attribute/kept_ops.h"
#include "attribute/opstream_fill.h"

int opstream_open(struct opstream *stream, struct feed *feeds, uint32_t n,
				  const struct steps *steps);
/* Rewinds all feeds for another pass. 0 or -errno. */
int opstream_rewind(struct opstream *stream);
/* Passes over these ops from now on; they must be kept until the stream is closed. */
void opstream_keep(struct opstream *stream, struct kept_ops *kept);
void opstream_close(struct opstream *stream);

/* The row that describes a collective may begin later than the op did. */
static inline void opstream_learn(const struct opstream *stream, struct op *op)
{
	if (op->kind != BATON_KERNEL || op->flags & OP_HAS_COLL || !op->correlation ||
		!feed_collective(&stream->feeds[op->feed], op->correlation))
		return;
	op->flags |= OP_LATE_COLL;
	op->group = GROUP_NCCL;
}

/* Who is waited for is looked for so far after a gap (follow.h): calls are read farther ahead. */
#define OPSTREAM_CALLS_NS 2000000

/* Makes an op of a kept one. It gets the owner of its call, which has been read by then; of its
 * stream it has the slot alone. */
static inline void opstream_unfold(struct opstream *stream, const struct kept_op *from,
								   struct op *op)
{
	static const struct kept_call none = {.start = INT64_MAX, .end = INT64_MAX};
	const struct kept_ops *kept = stream->kept;
	const struct kept_call *call = from->flags & OP_MATCHED ? &kept->calls.at[from->call] : &none;
	op->start = from->start;
	op->end = from->end;
	op->ls = call->start;
	op->le = call->end;
	op->stream = 0;
	op->correlation = kept_calls_correlation(&kept->calls, call);
	op->bytes = -1;
	op->name = from->name;
	op->feed = 0;
	op->thread = call->thread;
	op->call_name = call->name;
	op->slot = from->slot;
	op->owner = call->owner;
	op->step = from->step;
	op->kind = from->kind;
	op->group = from->group;
	op->ends = 0;
	op->copy_dir = 0;
	op->flags = from->flags & (uint8_t)~KEPT_MORE;
	if (from->flags & KEPT_MORE) {
		const struct kept_more *more = &kept->more[stream->kept_more++];
		op->bytes = more->bytes;
		op->correlation = more->correlation;
		op->ends = more->ends;
		op->copy_dir = more->copy_dir;
	}
}

/* Of kept ops: reads the calls that those which start at `start` need. 0 or -errno. */
static inline int opstream_load_calls(struct opstream *stream, int64_t start)
{
	struct feed *feed = &stream->feeds[0];
	if (start < stream->calls_until - OPSTREAM_CALLS_NS)
		return 0;
	stream->calls_until = start + 2 * OPSTREAM_CALLS_NS;
	return feed->on_kept(feed->context, feed, stream->calls_until);
}

/* The next of kept ops. */
static inline const struct op *opstream_next_kept(struct opstream *stream)
{
	const struct kept_ops *kept = stream->kept;
	if (stream->error == 0 && (!stream->never_full || stream->head == kept->n))
		stream->error = opstream_fill(stream);
	if (stream->error || stream->head == kept->n)
		return NULL;
	const struct kept_op *next = &kept->at[stream->head++];
	stream->error = opstream_load_calls(stream, next->start);
	opstream_unfold(stream, next, stream->ring);
	return stream->error ? NULL : stream->ring;
}

/* The next op in op order; NULL at the end or after an error (stream->error). It is valid until the
 * next call. */
static inline const struct op *opstream_next(struct opstream *stream)
{
	if (stream->kept)
		return opstream_next_kept(stream);
	stream->colls_head += stream->coll_out;
	stream->coll_out = false;
	if (stream->error == 0 && stream->tail - stream->head <= OPSTREAM_AHEAD / 2)
		stream->error = opstream_fill(stream);
	if (stream->error || stream->head == stream->tail)
		return NULL;
	while (stream->minima_head < stream->minima_tail &&
		   stream->minima[stream->minima_head].position < stream->head)
		stream->minima_head++;
	struct op *op = opstream_at(stream, stream->head++);
	stream->coll_out = (op->flags & OP_HAS_COLL) != 0;
	opstream_learn(stream, op);
	return op;
}

/* The NCCL arguments of the op if they came before it, else NULL. Valid as long as the op. */
static inline const struct coll_args *opstream_coll(const struct opstream *stream,
													const struct op *op)
{
	return op->flags & OP_HAS_COLL ? &stream->colls[op->coll & (stream->colls_room - 1)] : NULL;
}

/* Is `op` a node of a graph launch? opstream_is_later_node(): and not the first one? The answers
 * depend on what is known about its correlation id by now. */
bool opstream_is_node(const struct opstream *stream, const struct op *op);
static inline bool opstream_is_later_node(const struct opstream *stream, const struct op *op)
{
	return !(op->flags & OP_FIRST_OF_CALL) && opstream_is_node(stream, op);
}

/* Were at least QUEUE_DEPTH_FULL launches that began before `ls` still waiting when the op last
 * returned started? */
bool opstream_queue_full(const struct opstream *stream, int64_t ls);

#endif
