/* What is said of a rank, a host or missing ranks that the others wait for (docs/ATTRIBUTION.md
 * section 7). */
#ifndef CONCLUDE_FINDING_LATE_H
#define CONCLUDE_FINDING_LATE_H

#include "conclude/finding.h"

/* late_rank, late_host, late_missing; or wait, when nobody is late persistently. */
enum finding_id finding_id_of_straggler(const struct straggler *straggler);
/* Adds what its host needs more between the same calls, or that it makes more of them. 0 or -ENOMEM.
 */
int finding_say_host(const struct finding_source *source, const struct straggler *straggler,
					 struct finding *out);
/* 0 or -ENOMEM */
int finding_of_straggler(const struct finding_source *source, const struct straggler *straggler,
						 struct finding *out);

#endif
