/* The rows behind a finding: names and lines of code with most time in some leaves
 * (docs/ATTRIBUTION.md section 8, "Lines in findings"), and the few steps that have it. */
#ifndef CONCLUDE_FINDING_ROWS_H
#define CONCLUDE_FINDING_ROWS_H

#include "conclude/finding.h"

/* All time of some leaves, of one device (a key) or, with 0, of all. */
int64_t finding_time_in(const struct summary *summary, uint64_t leaves, uint32_t device);

/* Evidence: the names with most time behind some leaves of one device (a key) or, with 0, of all;
 * and the line with most of it, unless that is little: where the thread was, or only what it
 * launched afterwards, and where most of it was in a framework that the line called. 0 or -ENOMEM.
 */
int finding_say_rows(const struct finding_source *source, uint64_t leaves, uint32_t device,
					 struct finding *out);

/* Is it a matter of a few steps? Then the summary says so. */
void finding_say_rare(const struct finding_source *source, uint64_t leaves, uint32_t device,
					  struct finding *out);

#endif
