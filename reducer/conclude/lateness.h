/* How often a rank is the last into its collectives and what that causes, against a fair share
 * (docs/ATTRIBUTION.md section 7). Pure. */
#ifndef CONCLUDE_LATENESS_H
#define CONCLUDE_LATENESS_H

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

#endif
