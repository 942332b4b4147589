/* What a row of a device's ops becomes: an op, joined to its launch. Whoever puts the ops in order
 * says what the order tells: opstream_fill.c, plain_ops.h. */
#ifndef ATTRIBUTE_OP_JOIN_H
#define ATTRIBUTE_OP_JOIN_H

#include "attribute/kept_calls.h"
#include "attribute/op_ring.h"

/* Joins the op to its launch and tells the launch about it. Ops of other devices only leave their
 * mark. Returns the launch, NULL for an op without a correlation. */
__attribute__((always_inline)) static inline struct launch *join_launch(struct feed *feed,
																		struct op *op, bool ours)
{
	op->ls = op->le = INT64_MAX;
	op->thread = op->call_name = op->owner = 0;
	if (!op->correlation) {
		op->flags |= OP_FIRST_OF_CALL;
		return NULL;
	}
	struct launch *launch = feed_launch(feed, op->correlation);
	if (!launch)
		launch = feed_new_launch(feed, op->correlation);
	if (!launch->any_op)
		launch->first_op_start = op->start;
	launch->any_op = true;
	launch->pageable |= (op->flags & OP_IS_PAGEABLE) != 0;
	if (op->kind == BATON_KERNEL && launch->start < feed->names[op->name].first_launch_ns)
		feed->names[op->name].first_launch_ns = launch->start;
	if (!ours || launch->start == FEED_NO_CALL)
		return launch;
	op->flags |= OP_MATCHED;
	op->ls = launch->start;
	op->le = launch->end;
	op->thread = launch->thread;
	op->call_name = launch->name;
	op->owner = launch->owner;
	if (feed_call_mask(feed, launch->name) & HOST_MASK(HOST_BIT_GRAPH_LAUNCH))
		op->flags |= OP_GRAPH_CALL;
	return launch;
}

/* The same where all calls are kept and no launch has more than one op. False: this one has. */
__attribute__((always_inline)) static inline bool join_kept(struct feed *feed, struct op *op)
{
	struct kept_calls *kept = feed->kept;
	op->ls = op->le = INT64_MAX;
	op->thread = op->call_name = op->owner = 0;
	op->flags |= OP_FIRST_OF_CALL;
	if (!op->correlation)
		return true;
	uint32_t *of = kept_calls_of(kept, op->correlation);
	if (!of || *of == KEPT_NO_CALL)
		return false;
	op->flags |= op->kind == BATON_KERNEL ? OP_FIRST_KERNEL : 0;
	if (!*of) {
		*of = KEPT_NO_CALL;
		return true;
	}
	const struct kept_call *call = &kept->at[*of - 1];
	uint8_t *flags = &kept->flags[*of - 1];
	if (*flags)
		return false;
	*flags = KEPT_LAUNCHED | (op->flags & OP_IS_PAGEABLE ? KEPT_PAGEABLE : 0);
	if (call->start > op->start) { /* the next pass knows so */
		const int64_t late_ns = call->start - op->start;
		feed->late_seen_ns = late_ns > feed->late_seen_ns ? late_ns : feed->late_seen_ns;
		return true;
	}
	if (op->kind == BATON_KERNEL && call->start < feed->names[op->name].first_launch_ns)
		feed->names[op->name].first_launch_ns = call->start;
	op->flags |= OP_MATCHED;
	op->ls = call->start;
	op->le = call->end;
	op->thread = call->thread;
	op->call_name = call->name;
	op->owner = *of - 1; /* its number: opstream_next() makes it the owner */
	if (feed_call_mask(feed, call->name) & HOST_MASK(HOST_BIT_GRAPH_LAUNCH))
		op->flags |= OP_GRAPH_CALL;
	return true;
}

/* The op rows of a block, column by column. */
struct op_columns {
	const int64_t *start, *dur, *kind, *stream, *correlation, *name;
	/* NULL: the source does not say */
	const int64_t *bytes, *copy_dir, *pageable, *source, *target;
};

static inline struct op_columns columns_of(const struct rows *ops)
{
	const struct rows_block *b = ops->now;
	int64_t *const *c = b->column;
	return (struct op_columns){
		.start = c[OP_START],
		.dur = c[OP_DUR],
		.kind = c[OP_KIND],
		.stream = c[OP_STREAM],
		.correlation = c[OP_CORRELATION],
		.name = c[OP_NAME],
		.bytes = b->present & 1u << OP_BYTES ? c[OP_BYTES] : NULL,
		.copy_dir = b->present & 1u << OP_COPY_DIR ? c[OP_COPY_DIR] : NULL,
		.pageable = b->present & 1u << OP_PAGEABLE ? c[OP_PAGEABLE] : NULL,
		.source = b->present & 1u << OP_SOURCE ? c[OP_SOURCE] : NULL,
		.target = b->present & 1u << OP_TARGET ? c[OP_TARGET] : NULL,
	};
}

/* Makes `op` of row `i` of the feed, joined to *launch (NULL: it has no correlation, or calls are
 * kept). Returns whether the op is one of the device's; of a dense feed also whether it is the only
 * one of its launch. */
__attribute__((always_inline)) static inline bool read_op(struct feed *feed,
														  const struct op_columns *c, uint32_t i,
														  struct op *op, struct launch **launch)
{
	bool alone = true;
	const uint32_t stream_index = idmap_get(&feed->trace.stream_ids, (uint64_t)c->stream[i]);
	const uint32_t slot = feed->slots[stream_index];
	const bool ours = slot != 0; /* as feed_is_ours() says */
	op->start = c->start[i];
	op->end = op->start + c->dur[i];
	op->correlation = (uint64_t)c->correlation[i];
	op->kind = (uint8_t)c->kind[i];
	op->name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]);
	op->flags = op->kind == BATON_MEMCPY && c->pageable && c->pageable[i] == 1 ? OP_IS_PAGEABLE : 0;
	*launch = NULL;
	if (!feed->dense)
		*launch = join_launch(feed, op, ours);
	else
		alone = join_kept(feed, op);
	if (!ours || !alone)
		return false;
	op->bytes = c->bytes ? c->bytes[i] : -1;
	op->copy_dir = c->copy_dir ? (uint8_t)c->copy_dir[i] : 0;
	op->ends = 0;
	if (c->source && c->target)
		op->ends = op_ends(idmap_get(&feed->trace.device_ids, (uint64_t)c->source[i]),
						   idmap_get(&feed->trace.device_ids, (uint64_t)c->target[i]));
	op->stream = feed->trace.streams[stream_index].stream;
	op->slot = slot;
	return true;
}

/* The step of a launch; launches that follow one another mostly share it. */
static inline int32_t step_of_launch(struct opstream *stream, int64_t ls)
{
	if (ls < stream->step_from || ls >= stream->step_to)
		stream->step_known = steps_around(stream->steps, ls, &stream->step_from, &stream->step_to);
	return stream->step_known;
}

/* The op's group. *args: what NCCL's kernels bring along, else NULL. */
static inline void op_group(struct feed *feed, struct op *op, const struct coll_args **args)
{
	*args = NULL;
	op->group = GROUP_MEMORY;
	if (op->kind == BATON_MEMCPY || op->kind == BATON_MEMSET)
		return;
	op->group = GROUP_OTHER;
	if (op->kind == BATON_GRAPH)
		return;
	if (op->kind == BATON_KERNEL && op->correlation)
		*args = feed_collective(feed, op->correlation);
	op->group = *args ? GROUP_NCCL : (uint8_t)feed_kernel(feed, op->name)->group;
}

/* Counts the op among those of its launch (NULL: it has none) and puts it into its step: the ops
 * are passed in op order. */
static inline void op_settle(struct opstream *stream, struct op *op, struct launch *launch)
{
	if (launch) {
		op->flags |= launch->n_ops++ == 0 ? OP_FIRST_OF_CALL : 0;
		if (op->kind == BATON_KERNEL)
			op->flags |= launch->n_kernels++ == 0 ? OP_FIRST_KERNEL : 0;
	}
	if (op->flags & OP_MATCHED)
		stream->slot_step[op->slot] = step_of_launch(stream, op->ls);
	op->step = stream->slot_step[op->slot];
}

/* The order of ops that start together, for sort_rows_with(): the context is their opstream. */
int op_order(const void *a, const void *b, void *context);

#endif
