/* What the second visit to a device gathers. attribute.c goes over the ops, attribute_nccl.c takes
 * those of NCCL, attribute_store.c puts what came out into the summary. */
#ifndef ATTRIBUTE_ATTRIBUTING_H
#define ATTRIBUTE_ATTRIBUTING_H

#include "attribute/copy_sums.h"
#include "attribute/device.h"
#include "attribute/kernel_sums.h"
#include "attribute/owners.h"
#include "attribute/sent.h"
#include "attribute/step_caused.h"
#include "attribute/steps_row.h"
#include "attribute/sweep.h"
#include "attribute/tally.h"
#include "attribute/think.h"
#include "attribute/worst_gaps.h"

enum { TIMELINES_EVERY = 1024, SHORT_KERNEL_NS = 5000 };

struct dispatched { /* gaps that are dispatch as a whole, by the kernel that ended them */
	int64_t ns;
	uint64_t gaps;
};

struct attributing {
	const struct device_context *context;
	const struct device_scan *scan;
	struct device_feeds *ds;
	struct summary *summary;
	struct device_summary *device;
	struct gap_engine engine;
	struct held_ups held_ups;
	struct sweep sweep;
	struct step_leaves step_leaves;
	struct step_cursor idle_steps;
	struct step_caused step_caused;
	struct sent sent;
	struct think think;
	struct tally tally;
	struct owners owners;
	struct worst_gaps *worst;
	bool brief;                    /* no op and no piece of idle time is wanted by itself */
	struct dispatched *dispatched; /* by name, of the only process: attribute_plain.c */
	uint64_t n_gaps;
	int64_t gap_end; /* of the last one */
	uint64_t unmatched, unmatched_counted;
	struct steps_ops ops;
	uint64_t unsampled_ns;
	struct kernel_sums kernels;
	struct copy_sums copies;
	struct op_seen seen; /* of the NCCL op at hand */
};

/* The process of the steps. */
static inline const struct feed *attributing_feed(const struct attributing *a)
{
	return &a->ds->feeds[a->scan->process];
}

struct passed_ops {             /* the ops so far */
	int64_t begin, end;         /* the begin of the last one, the latest end; INT64_MIN: none yet */
	const struct kept_op *kept; /* the one that ended last, or NULL: it is `op` */
	struct op op;
};

/* Where the ops are kept and a->brief: takes the next ones as long as they are plain. 0 or
 * -errno. */
int attribute_plain_open(struct attributing *a);
int attribute_plain(struct attributing *a, struct passed_ops *passed);
/* After the last op: tells the tally. 0 or -ENOMEM. */
int attribute_plain_close(struct attributing *a);

/* An NCCL op into the sweep: split when all its members were seen. 0 or -errno. */
int attribute_nccl(struct attributing *a, const struct op *op);
/* What was gathered goes into the summary. 0 or -errno. */
int attribute_store(struct attributing *a);

#endif
