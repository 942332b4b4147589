/* A part of a run: the files of one node or of several, reduced by themselves. It is a summary with
 * the rows that tell other parts of it what they have to know (docs/FORMAT.md section 6: process,
 * scan, comm, meeting). Parts are merged in any order and grouping. */
#ifndef PART_H
#define PART_H

#include "attribute/device.h"

static inline bool part_is(const struct summary *summary)
{
	return summary->n_processes > 0;
}

/* Between the two visits: adds these rows for all scanned devices. Then, with options->met, the
 * collectives become those of all parts that are merged in it. 0; -ECANCELED: this run can have no
 * parts, or `met` is not of it, which was said; or another -errno. */
int part_exchange(struct device_context *context, const struct device_scan *scans,
				  const struct generations *generations, struct summary *summary);

/* Adds `part`, which was read from `name`, to the sum of others. An enum status: STATUS_USAGE: they
 * cannot be merged, which was said. */
int part_add(struct summary *sum, struct summary *part, const char *name);
/* Call after the last part_add(): makes what is told of the run as a whole, and sorts. 0 or
 * -ENOMEM. */
int part_finish(struct summary *sum, const struct reduce_options *options);

/* Can the sum, finished, be stored and loaded again? Parts may be right one by one and say more
 * together than a run can have. 0, -EBADMSG or another -errno. */
int part_check(const struct summary *sum);

/* How many devices are in a communicator with devices of which they knew nothing when their time was
 * divided; 0: all that has to be known of other parts was known. */
size_t part_unmet(const struct summary *summary);
/* Would the devices have to agree on other steps? */
bool part_disagrees(const struct summary *summary);
/* Forgets the rows that only parts have. */
void part_close(struct summary *summary);

#endif
