/* A host whose ranks the others wait for, more than for any of them alone: now one is the last, now
 * another (docs/ATTRIBUTION.md section 7). */
#ifndef CONCLUDE_LATE_HOST_H
#define CONCLUDE_LATE_HOST_H

#include "conclude/stragglers.h"

/* Fills `s` but for what its own time is. *found: there is one. 0 or -ENOMEM. */
int late_host_find(const struct summary *summary, int64_t wait_ns, struct straggler *s,
				   bool *found);
/* Is the late host a better name than these late ranks? They are all of it, and what they cause is
 * less than half-way from their part in its collectives to all that it causes. */
bool late_host_is_wider(const struct summary *summary, const struct straggler *host,
						const struct straggler *ranks, size_t n);

#endif
