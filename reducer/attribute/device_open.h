/* What both visits to a device share: they open its processes as feeds, and find the collective of
 * an op. */
#ifndef ATTRIBUTE_DEVICE_OPEN_H
#define ATTRIBUTE_DEVICE_OPEN_H

#include "attribute/device.h"
#include "base/table.h"

/* how many ops of one (process, communicator, collective) a step has so far */
struct coll_counter {
	uint64_t comm;
	uint32_t feed;
	uint32_t coll;
	int32_t step;
	uint32_t n;
};

struct device_feeds {
	struct feed *feeds;
	uint32_t n;
	struct opstream stream;
	struct coll_counter *counters;
	size_t n_counters;
	struct table counted; /* counters by all their fields but n */
	uint32_t ordered;     /* members of a collective without arguments; 0: not all are here */
};

int device_feeds_open(const struct device_context *context, const struct device_scan *scan,
					  struct device_feeds *ds);
void device_feeds_close(struct device_feeds *ds);
int device_feeds_rewind(struct device_feeds *ds);

/* *coll: the arguments of an NCCL op, NULL when the source has none. *key: the key of its
 * collective. *known: the key is complete, because its sequence is known. Without arguments it may
 * be known by the order of ops. Call once per NCCL op and
 * pass, in op order. 0 or -ENOMEM. */
int device_collective(struct device_feeds *ds, const struct op *op, const struct steps *steps,
					  const struct coll_args **coll, struct coll_key *key, bool *known);

#endif
