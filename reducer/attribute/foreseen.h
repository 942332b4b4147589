/* The collectives of a device, from the rows of NCCL alone: a recorder writes those with the times of
 * their kernels. What a device waited for others is then known before any of its ops is read, and
 * it needs one visit. Its scan compares what it finds with what was told here. */
#ifndef ATTRIBUTE_FORESEEN_H
#define ATTRIBUTE_FORESEEN_H

#include "attribute/device.h"

struct foreseen {
	uint64_t told; /* foreseen_add() of all, in the order of the scan */
};

/* A sum of collectives so far and one more, in which their order counts. */
uint64_t foreseen_add(uint64_t sum, const struct coll_op *op);

/* Passes on the collectives of a device. *fits: whether they can be told from the rows. 0 or
 * -errno. */
int foreseen_tell(const struct device_context *context, uint32_t device, struct foreseen *foreseen,
				  bool *fits);

#endif
