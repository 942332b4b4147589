/* The bytes that a device sends to and receives from single other ranks, step by step: stored as a
 * series (summary/series.h), from which a pipeline's schedule is read. */
#ifndef ATTRIBUTE_SENT_H
#define ATTRIBUTE_SENT_H

#include "attribute/feed.h"
#include "attribute/step_leaves.h"

struct sent {
	const struct step_leaves *steps; /* the cells; not owned */
	int64_t *bytes;                  /* by cell */
};

/* 0 or -ENOMEM */
int sent_open(struct sent *sent, const struct step_leaves *steps);
void sent_close(struct sent *sent);
/* An NCCL op of a counted step; other calls than Send and Recv are passed over. Of a group all that
 * it has counts. */
void sent_add(struct sent *sent, int32_t step, const struct coll_args *coll);
/* Adds the series of the device, if it sent anything. 0 or -ENOMEM. */
int sent_store(const struct sent *sent, struct summary *summary, const char *device);

#endif
