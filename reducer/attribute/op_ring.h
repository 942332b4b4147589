/* The ops of one device that are read ahead, and the state of the reading: opstream.h takes them
 * from here, opstream_fill.h brings them. */
#ifndef ATTRIBUTE_OP_RING_H
#define ATTRIBUTE_OP_RING_H

#include "attribute/feed.h"
#include "steps/markers.h"

enum { OPSTREAM_AHEAD = 1 << 14, QUEUE_DEPTH_FULL = 1000 };

enum op_flag {
	OP_MATCHED = 1, /* the op has a launch record */
	OP_FIRST_OF_CALL =
		2, /* the first op of its launch on this device (always set without correlation) */
	OP_IS_PAGEABLE = 4,
	OP_GRAPH_CALL = 8,    /* its launch's name says GraphLaunch */
	OP_FIRST_KERNEL = 16, /* the first kernel of its launch */
	OP_HAS_COLL = 32,     /* it has NCCL arguments: opstream_coll() */
	OP_LATE_COLL = 64     /* its NCCL arguments came after it: only its feed has them */
};

struct op {
	int64_t start, end;
	int64_t ls, le; /* begin and end of its launch; INT64_MAX without one */
	int64_t stream; /* the number the source gave it */
	uint64_t correlation;
	int64_t bytes; /* of a copy or set; -1: the source does not say */
	uint32_t name; /* index in its feed's trace */
	uint32_t feed;
	uint32_t thread; /* the launching thread, index in its feed's trace */
	uint32_t call_name;
	uint32_t slot; /* number of its stream among the device's */
	union {
		uint32_t coll; /* with OP_HAS_COLL: which arguments in opstream.colls */
		uint32_t ends; /* of a copy: op_ends() */
	};
	uint32_t owner; /* owner of its launch */
	/* step of its launch, or of the op before it on its stream; else STEP_BEFORE or STEP_AFTER */
	int32_t step;
	uint8_t kind;  /* enum baton_op_kind */
	uint8_t group; /* enum group */
	uint8_t copy_dir;
	uint8_t flags;
};

/* A copy from one device to another: both indexes in its feed's trace, the target's in the low half.
 * 0: another copy, or the trace does not say. */
static inline uint32_t op_ends(uint32_t source, uint32_t target)
{
	return source && target && source != target && source <= UINT16_MAX && target <= UINT16_MAX
			   ? source << 16 | target
			   : 0;
}

struct kept_ops;

struct late_min { /* an entry of `minima`: ops by position, launches increasing */
	uint64_t position;
	int64_t ls;
};

struct opstream {
	struct feed *feeds;
	uint32_t n_feeds;
	const struct steps *steps;
	struct op *ring;
	uint64_t room; /* a power of two */
	uint64_t head, tail;
	size_t n_group;          /* ops with the same start, in the ring after the tail */
	uint32_t group_launch;   /* the feed's ring index of the launch of the last of them */
	struct coll_args *colls; /* NCCL arguments of the ops in the ring, in op order */
	uint64_t colls_room;     /* a power of two */
	uint64_t colls_head, colls_tail;
	bool coll_out;      /* the op last returned has the first of `colls` */
	int32_t *slot_step; /* per stream: the step of its last op */
	uint32_t n_slots;
	int64_t step_from, step_to; /* launches in this interval belong to step_known */
	int32_t step_known;
	struct late_min *minima; /* suffix minima of ls over the ops read ahead, a deque */
	size_t minima_head, minima_tail, minima_room;
	/* All ops are there, joined, from another pass: nothing is read. Not owned, NULL: no. */
	const struct kept_ops *kept;
	size_t kept_more;    /* so many of kept->more have been given */
	bool never_full;     /* no launch met a full queue */
	int64_t calls_until; /* calls that begin by then have been read */
	int error;
};

static inline struct op *opstream_at(const struct opstream *stream, uint64_t i)
{
	return &stream->ring[i & (stream->room - 1)];
}

#endif
