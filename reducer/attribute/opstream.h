/* The ops of one device in op order: the processes merged, each op joined to its launch
 * (docs/ATTRIBUTION.md section 1). It reads OPSTREAM_AHEAD ops ahead of the current one, because
 * later ops decide what a launch was (a graph, a pageable copy) and how full the queue is. */
#ifndef ATTRIBUTE_OPSTREAM_H
#define ATTRIBUTE_OPSTREAM_H

#include "attribute/feed.h"
#include "steps/markers.h"

enum { OPSTREAM_AHEAD = 1 << 14 };

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
	uint32_t slot;  /* number of its stream among the device's */
	uint32_t coll;  /* with OP_HAS_COLL: which arguments in opstream.colls */
	uint32_t owner; /* owner of its launch */
	/* step of its launch, or of the op before it on its stream; else STEP_BEFORE or STEP_AFTER */
	int32_t step;
	uint8_t kind;  /* enum baton_op_kind */
	uint8_t group; /* enum group */
	uint8_t copy_dir;
	uint8_t flags;
};

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
	int error;
};

int opstream_open(struct opstream *stream, struct feed *feeds, uint32_t n,
				  const struct steps *steps);
/* Rewinds all feeds for another pass. 0 or -errno. */
int opstream_rewind(struct opstream *stream);
void opstream_close(struct opstream *stream);

/* The next op in op order; NULL at the end or after an error (stream->error). It is valid until the
 * next call. */
const struct op *opstream_next(struct opstream *stream);

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

enum { QUEUE_DEPTH_FULL = 1000 };

/* Were at least QUEUE_DEPTH_FULL launches that began before `ls` still waiting when the op last
 * returned started? */
bool opstream_queue_full(const struct opstream *stream, int64_t ls);

#endif
