/* The ops of a device, joined to their launches and in op order, as the scan leaves them for an
 * attribution that follows at once. Only a device with one process, whose ops are ordinary
 * (plain_ops.h), leaves them. A thread has one for all its devices, so that memory is taken once. */
#ifndef ATTRIBUTE_KEPT_OPS_H
#define ATTRIBUTE_KEPT_OPS_H

#include "attribute/kept_calls.h"
#include "attribute/op_ring.h"

enum { KEPT_OPS_MOST = FEED_LAUNCHES };

struct kept_ops {
	size_t most; /* ops that it may keep */
	struct op *at;
	size_t room; /* a power of two */
	size_t n;
	bool whole;   /* every op of the device is here */
	bool stepped; /* and knows its step */
	/* An op was launched so many ops before it ran that the queue may have been full; and more than
	 * half of OPSTREAM_AHEAD before: what is known of it then would depend on how far one reads
	 * ahead. */
	bool full, deep;
	struct kept_calls calls;
};

/* Forgets what an earlier device left. */
void kept_ops_clear(struct kept_ops *kept);
/* Begins a pass over the `rows` ops of the feed. False: they are not kept. */
bool kept_ops_begin(struct kept_ops *kept, size_t rows);
void kept_ops_free(struct kept_ops *kept);

/* Where the next op goes; kept_ops_add() says that it is there. NULL: there is no room. */
static inline struct op *kept_ops_place(struct kept_ops *kept)
{
	return kept->n < kept->room ? &kept->at[kept->n] : NULL;
}

static inline void kept_ops_add(struct kept_ops *kept)
{
	const size_t i = kept->n++, near = QUEUE_DEPTH_FULL - 1, far = OPSTREAM_AHEAD / 2;
	const struct op *op = &kept->at[i];
	if (i < near || !(op->flags & OP_MATCHED) || kept->at[i - near].start <= op->ls)
		return;
	kept->full = true;
	kept->deep |= i >= far && kept->at[i - far].start > op->ls;
}

#endif
