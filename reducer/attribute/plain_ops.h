/* The ops of a device in op order, straight from the columns of its only process. It does not read
 * ahead, so it serves only passes to which nothing that follows an op tells anything of it, and
 * only while the ops are ordinary: each has a launch of its own, none is a graph's, and NCCL's rows
 * come before their kernels. When one is not, the pass has to be made with opstream_next() instead. */
#ifndef ATTRIBUTE_PLAIN_OPS_H
#define ATTRIBUTE_PLAIN_OPS_H

#include "attribute/op_join.h"

struct plain_ops {
	struct opstream *stream;
	struct feed *feed;
	struct op_columns columns; /* of the block in hand */
	uint32_t at, last;         /* the next row, and the last one of the block */
	int64_t until;             /* rows that begin before come before those of other blocks */
	struct op *together;       /* ops that start at one instant, or the last one of a block */
	size_t n_together, n_given, together_room;
	bool odd; /* they are not ordinary: what the pass has gathered is void */
	int error;
};

/* May the ops be ordinary? */
bool plain_ops_fit(const struct opstream *stream);
/* Begins a pass, after opstream_rewind(). */
void plain_ops_open(struct plain_ops *plain, struct opstream *stream);
void plain_ops_close(struct plain_ops *plain);
/* The part of plain_ops_next() that is needed now and then. */
bool plain_ops_turn(struct plain_ops *plain, struct op *op);

/* What the order tells of an op. Its NCCL arguments are its feed's. False when it is not ordinary. */
__attribute__((always_inline)) static inline bool plain_ops_settle(struct plain_ops *plain,
																   struct op *op,
																   struct launch *launch)
{
	const struct coll_args *args;
	if (launch && launch->n_ops)
		return false;
	op_settle(plain->stream, op, launch);
	op_group(plain->feed, op, &args);
	if (args)
		op->flags |= OP_LATE_COLL;
	return op->kind != BATON_GRAPH && !(op->flags & OP_GRAPH_CALL);
}

/* Fills `op` with the next one in op order. False at the end, after an error and when they are not
 * ordinary. */
__attribute__((always_inline)) static inline bool plain_ops_next(struct plain_ops *plain,
																 struct op *op)
{
	const uint32_t i = plain->at;
	const int64_t *start = plain->columns.start + i;
	struct launch *launch;
	if (i >= plain->last || start[1] == start[0] || start[1] >= plain->until)
		return plain_ops_turn(plain, op);
	plain->at++;
	plain->error = feed_load_calls(plain->feed, start[0]);
	op->feed = 0;
	if (!plain->error && (!read_op(plain->feed, &plain->columns, i, op, &launch) ||
						  !plain_ops_settle(plain, op, launch)))
		plain->odd = true;
	return !plain->error && !plain->odd;
}

#endif
