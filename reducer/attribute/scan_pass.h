/* One pass of the first visit over a device's ops: what it gathers. */
#ifndef ATTRIBUTE_SCAN_PASS_H
#define ATTRIBUTE_SCAN_PASS_H

#include "attribute/device_open.h"
#include "attribute/launch_log.h"

enum { QUEUED_PAIRS = 1 << 16, SURELY_QUEUED_NS = 1000000 };

struct noted { /* an NCCL op with arguments */
	struct coll_op op;
	bool known; /* its key is complete */
};

struct scanning {
	const struct device_context *context;
	struct device_scan *scan;
	struct device_feeds *ds;
	struct counts lags;   /* start - Ls of launches that began inside the gap they ended */
	struct counts queued; /* gaps whose k was queued: launched SURELY_QUEUED_NS before, as yet */
	int64_t smallest_lag; /* positive; INT64_MAX: none */
	int64_t *pairs;       /* (lag of the launch before a, gap length) of those launched later, while
							 they fit: spares the second pass */
	size_t n_pairs;
	bool pairs_fit;
	bool launched;       /* some op has its launch record */
	struct noted *noted; /* committed when the pass turns out to be the last */
	size_t n_noted, noted_room;
	struct launch_log log; /* of a pass that went before the steps were known */
};

/* 0 or -ENOMEM. scan_pass_close() either way. */
int scan_pass_open(struct scanning *s);
void scan_pass_close(struct scanning *s);

/* The whole pass: forgets what the one before it gathered. 0 or -errno. */
int scan_pass_whole(struct scanning *s);
/* The same before the steps are known: s->log gets what finds them in that process, and what they
 * make of the ops (if s->log.whole) is told by scan_pass_steps(). */
int scan_pass_log(struct scanning *s, uint32_t feed);
int scan_pass_steps(struct scanning *s);
/* A pass for its gaps alone. */
int scan_pass_gaps(struct scanning *s, int (*visit)(struct scanning *, const struct gap *));

/* Launches that begin after their op are found by reading further ahead; how far is known only
 * after a pass: true when it has to be made again. */
bool scan_pass_learned(struct device_feeds *ds);

#endif
