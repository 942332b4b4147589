/* The ops of a device, joined to their launches and in op order, as the scan leaves them for an
 * attribution that follows at once. Only a device with one process, whose ops are ordinary
 * (plain_ops.h), leaves them. A thread has one for all its devices, so that memory is taken once. */
#ifndef ATTRIBUTE_KEPT_OPS_H
#define ATTRIBUTE_KEPT_OPS_H

#include "attribute/kept_calls.h"
#include "attribute/op_ring.h"

struct kept_op { /* what struct op has, without what its call has */
	int64_t start, end;
	uint32_t call; /* number of its call, with OP_MATCHED */
	uint32_t name;
	int32_t step;
	uint16_t slot : 13, group : 3;
	uint8_t kind;
	uint8_t flags; /* enum op_flag, KEPT_MORE */
};

enum { KEPT_MORE = 128, KEPT_SLOTS = 1 << 13 };

struct kept_more { /* what few ops have: copies and sets, and those without a call */
	int64_t bytes;
	uint64_t correlation;
	uint32_t ends; /* of a copy */
	uint8_t copy_dir;
};

struct kept_ops {
	size_t most; /* ops that it may keep: kept_ops_open() */
	struct kept_op *at;
	size_t room;
	size_t n;
	struct kept_more *more; /* of the ops with KEPT_MORE, in their order */
	size_t n_more, more_room;
	bool whole;   /* every op of the device is here */
	bool stepped; /* and knows its step */
	/* An op was launched so many ops before it ran that the queue may have been full; and more than
	 * half of OPSTREAM_AHEAD before: what is known of it then would depend on how far one reads
	 * ahead. */
	bool full, deep;
	struct kept_calls calls;
};

/* Of a device at most so many ops, and twice as many calls. */
void kept_ops_open(struct kept_ops *kept, size_t most);
/* How many ops each of so many threads may keep of a device, where so many have to be read. */
size_t kept_ops_most(size_t threads, size_t devices);
/* Was an op launched so many calls before it began that a visit by itself would not find its launch? */
bool kept_ops_reach_far(const struct kept_ops *kept);
/* Forgets what an earlier device left. */
void kept_ops_clear(struct kept_ops *kept);
/* Begins a pass over the ops of a feed: `rows` of them, on so many streams. False: they are not
 * kept. */
bool kept_ops_begin(struct kept_ops *kept, size_t rows, uint32_t slots);
void kept_ops_free(struct kept_ops *kept);

/* The part of kept_ops_add() for ops that have more. 0 or -ENOMEM. */
int kept_ops_add_more(struct kept_ops *kept, const struct op *op);

/* The launch of an op began at. INT64_MAX: it has no call. */
static inline int64_t kept_ops_launch(const struct kept_ops *kept, const struct kept_op *op)
{
	return op->flags & OP_MATCHED ? kept->calls.at[op->call].start : INT64_MAX;
}

/* Keeps the next op, whose `owner` is the number of its call. There is room: kept->n < kept->room.
 * 0 or -ENOMEM. */
static inline int kept_ops_add(struct kept_ops *kept, const struct op *op)
{
	const size_t i = kept->n++, near = QUEUE_DEPTH_FULL - 1, far = OPSTREAM_AHEAD / 2;
	const bool more = op->kind != BATON_KERNEL || !(op->flags & OP_MATCHED);
	kept->at[i] = (struct kept_op){.start = op->start,
								   .end = op->end,
								   .call = op->owner,
								   .name = op->name,
								   .step = op->step,
								   .slot = (uint16_t)(op->slot & (KEPT_SLOTS - 1)),
								   .group = op->group & 7,
								   .kind = op->kind,
								   .flags = (uint8_t)(op->flags | (more ? KEPT_MORE : 0))};
	if (i >= near && op->flags & OP_MATCHED && kept->at[i - near].start > op->ls) {
		kept->full = true;
		kept->deep |= i >= far && kept->at[i - far].start > op->ls;
	}
	return more ? kept_ops_add_more(kept, op) : 0;
}

#endif
