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

/* An NCCL op into the sweep: split when all its members were seen. 0 or -errno. */
int attribute_nccl(struct attributing *a, const struct op *op);
/* What was gathered goes into the summary. 0 or -errno. */
int attribute_store(struct attributing *a);

#endif
