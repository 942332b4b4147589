/* What the attribution does not keep of a piece of work: its row is read again, beside it. Rows come
 * in order of start, so those of one instant are held. */
#ifndef EXPORT_DATASET_DETAIL_H
#define EXPORT_DATASET_DETAIL_H

#include "read/rows.h"

struct op;
struct run_process;

struct detail { /* a row; `present` as in the trace */
	int64_t dur_ns, stream, correlation, kind;
	uint32_t name, present;
	int64_t context, pageable, graph_node, memory, bytes;
	uint32_t shape, place;   /* indexes in the trace: of its launch's shape, of its stream */
	uint32_t source, target; /* devices of a copy, indexes in the trace; 0: not said */
	size_t taken;            /* of the first of equal rows: how many of them were */
};

struct detail_feed {
	bool open, more;
	struct trace trace;
	struct rows rows;
	int64_t start_ns; /* of those held */
	struct detail *at;
	size_t n, room;
};

struct details {
	struct detail_feed *feeds; /* by the feed of an op */
	size_t n;
};

/* *out: the row of `op`, which `process` launched, valid until the next call; NULL: it is not in the
 * file. Ops of a feed come in order of start. 0 or -errno. */
int details_find(struct details *details, const struct run_process *process, const struct op *op,
				 const struct detail **out);
/* Before the ops of another device, and at the end. */
void details_close(struct details *details);

#endif
