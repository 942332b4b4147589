/* How often a rank, or the ranks of a host together, is the last into its collectives and what that
 * causes, against a fair share (docs/ATTRIBUTION.md section 7). Pure. */
#ifndef CONCLUDE_LATENESS_H
#define CONCLUDE_LATENESS_H

#include "summary/device_host.h"
#include "summary/summary.h"

struct lateness { /* over all such rows of a run */
	uint64_t last, taken;
	__int128 caused_ns;
};
struct lateness lateness_of(const struct late_summary *rows, size_t n);
/* Of the rows of ranks that are here alone, but for the wait: that is of all. */
struct lateness lateness_of_here(const struct late_summary *rows, size_t n);
/* No record of those that are here is lost: then a member that is not in a collective is one of the
 * missing ranks. */
bool lateness_sees_missing(const struct quality *quality);
/* It is last more often than a fair draw would make it. */
bool late_is_significant(const struct late_summary *late, const struct lateness *all);
/* At least half-way from a fair share to all: of the collectives it takes part in; of the wait. */
bool late_is_mostly_last(const struct late_summary *late, const struct lateness *all);
bool late_causes_most(const struct late_summary *late, const struct lateness *all);

/* The index of a row's device; summary->n_devices: there is none. */
size_t late_device(const struct summary *summary, const struct late_summary *late);

struct late_host { /* its ranks together are late, more than any of them alone */
	struct device_host host;
	uint32_t ranks;
	struct late_summary sum;
	const struct late_summary *worst; /* NULL: no host is late */
};
/* The first host that is late; `worst` is NULL when none is. 0 or -ENOMEM. */
int late_host_find(const struct summary *summary, const struct lateness *all,
				   struct late_host *found);
/* Are all these late ranks of one host, and is that host a better name than they are? They cause
 * less than half-way from their part in its collectives to all that it causes. */
bool late_host_is_wider(const struct summary *summary, const struct late_host *host,
						const struct late_summary *const *ranks, size_t n);

#endif
