/* One pass of the scan over a device's ops, and what it gathers. */
#ifndef ATTRIBUTE_SCAN_PASS_H
#define ATTRIBUTE_SCAN_PASS_H

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

/* 0 or -ENOMEM. Call scan_pass_close() also after an error. */
int scan_pass_open(struct scanning *s);
void scan_pass_close(struct scanning *s);

/* Makes the whole pass; first forgets what an earlier pass gathered. 0 or -errno. */
int scan_pass_whole(struct scanning *s);
/* The same before the steps are known. s->log gets the kernel launches of process `feed`, from
 * which they are found: with `periods` no more of them than a window has, else (NULL) all. Once
 * they are found, and if s->log.whole, scan_pass_steps() puts the logged ops into their steps. 0 or
 * -errno; -EAGAIN: windows do not do. */
int scan_pass_log(struct scanning *s, uint32_t feed, struct period_memo *periods);
int scan_pass_steps(struct scanning *s);
/* A pass that only calls `visit` for every gap. 0 or -errno. */
int scan_pass_gaps(struct scanning *s, int (*visit)(struct scanning *, const struct gap *));

/* A pass that only counts. *launches: by thread of the process `feed`, kernels and whole graphs that it
 * launched on the device; the caller frees it. 0 or -errno. */
int scan_pass_count(struct scanning *s, uint32_t feed, uint64_t **launches);

/* A launch that begins after its op's start is found by reading further ahead, and only a pass
 * shows how far. Returns true when this pass learned a longer distance, so another pass is
 * needed. */
bool scan_pass_learned(struct device_feeds *ds);

#endif
