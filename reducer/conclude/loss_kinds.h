/* The kinds of loss: the leaves each gathers, what it means, what to try. One table for every view.
 */
#ifndef CONCLUDE_LOSS_KINDS_H
#define CONCLUDE_LOSS_KINDS_H

#include "conclude/figures.h"

struct loss_kind {
	const char *id, *leaf; /* leaf: the prefix that --leaf and --fail-if take */
	uint64_t leaves;
	const char *meaning;
	const char *remedy;       /* "": nothing that the user could try */
	const char *graph_remedy; /* instead of it where CUDA graphs are launched already; or NULL */
};

enum { LOSS_KINDS = 20 };
extern const struct loss_kind loss_kinds[LOSS_KINDS];
/* Not a loss, but a rank may have more of it than the others: all kernels that are not NCCL's. */
extern const struct loss_kind loss_kind_work;

#define LOSS_NCCL \
	(LEAF_BIT(LEAF_NCCL_TRANSFER) | LEAF_BIT(LEAF_NCCL_UNSPLIT) | LEAF_BIT(LEAF_NCCL_WAIT))
#define LOSS_UNKNOWN                                                          \
	(LEAF_BIT(LEAF_UNKNOWN_UNRECORDED) | LEAF_BIT(LEAF_UNKNOWN_UNEXPLAINED) | \
	 LEAF_BIT(LEAF_UNKNOWN_UNMATCHED))

/* Per step: the mean of the devices, and one device. */
int64_t loss_share(const struct figures *figures, const struct loss_kind *kind);
int64_t loss_of_device(const struct device_summary *device, const struct loss_kind *kind);
/* The median of the devices but for `except`. 0 or -ENOMEM. */
int loss_median_of_others(const struct summary *summary, const struct loss_kind *kind,
						  size_t except, int64_t *ns);

#endif
