/* What a scan gathers of a device, pass after pass. */
#ifndef ATTRIBUTE_SCANNING_H
#define ATTRIBUTE_SCANNING_H

#include "attribute/device_open.h"
#include "attribute/gap_lengths.h"
#include "attribute/kept_ops.h"
#include "attribute/launch_log.h"
#include "attribute/slices.h"
#include "base/lag_floor.h"

enum { QUEUED_PAIRS = 1 << 16, SURELY_QUEUED_NS = 1000000 };

struct noted { /* an NCCL op with arguments */
	struct coll_op op;
	bool known; /* its key is complete */
};

struct scanning {
	const struct device_context *context;
	struct device_scan *scan;
	struct device_feeds *ds;
	struct counts lags; /* start - Ls, for launches that began inside the gap they ended */
	/* lengths of gaps whose k was surely queued: launched SURELY_QUEUED_NS before them */
	struct gap_lengths queued;
	struct slices slices;
	int64_t smallest_lag; /* positive; INT64_MAX: none */
	struct lag_floor lag_floor;
	/* (a - Ls, gap length) of gaps whose k was launched later than that, while there is room;
	 * spares the second pass */
	int64_t *pairs;
	size_t n_pairs;
	bool pairs_fit;
	bool launched;       /* some op has its launch record */
	bool odd;            /* passes are not made from the columns: plain_ops.h */
	struct noted *noted; /* passed on when this turns out to be the last pass */
	size_t n_noted, noted_room;
	bool many_loops;        /* several threads mark steps by themselves: what they launch decides */
	uint32_t only_thread;   /* whose launches the log takes; 0: all threads' */
	struct launch_log log;  /* from a pass made before the steps were known */
	struct own_kernels own; /* of the steps, from scan_pass_whole() */
	struct kept_ops *kept;  /* not owned; NULL: ops are not kept */
	/* the collectives are known before, and only compared; NULL: they are passed on */
	const struct foreseen *foreseen;
};

/* An op of the step ends at op_end. */
static inline void scan_note_end(struct device_scan *scan, int32_t step, int64_t op_end)
{
	if (step < STEP_BEFORE)
		return;
	scan->any_before |= step == STEP_BEFORE;
	int64_t *end = &scan->ends[step + 1];
	*end = op_end > *end ? op_end : *end;
}

#endif
