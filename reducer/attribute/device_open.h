/* What both visits to a device share: its processes opened as sources, and which collective an op
 * belongs to. */
#ifndef ATTRIBUTE_DEVICE_OPEN_H
#define ATTRIBUTE_DEVICE_OPEN_H

#include "attribute/device.h"
#include "base/table.h"

struct coll_counter { /* index of the last op of (process, communicator, collective) in a step */
	uint64_t comm;
	uint32_t source;
	uint32_t coll;
	int32_t step;
	uint32_t n;
};

struct device_sources {
	struct source *sources;
	uint32_t n;
	struct opstream stream;
	struct coll_counter *counters;
	size_t n_counters;
	struct table counted; /* counters by all but n */
};

int device_sources_open(const struct device_context *context, const struct device_scan *scan,
						struct device_sources *ds);
void device_sources_close(struct device_sources *ds);
int device_sources_rewind(struct device_sources *ds);

/* The collective of an NCCL op, NULL when the source gives no arguments. *known: `key` is complete
 * (its sequence is known). To be asked once per NCCL op and pass, in op order. 0 or -ENOMEM. */
int device_collective(struct device_sources *ds, const struct op *op, const struct steps *steps,
					  const struct coll_args **coll, struct coll_key *key, bool *known);

#endif
