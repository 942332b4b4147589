/* Ranks that enter the first counted step late: what they did before is in no step, so no time in
 * the steps is why the others wait for them (docs/ATTRIBUTION.md section 7). Pure. */
#ifndef CONCLUDE_LATE_ENTRY_H
#define CONCLUDE_LATE_ENTRY_H

#include "summary/summary.h"

/* *late_ns: how much later a device's first counted step began than on the other devices of its
 * host (their median), whose clock is one, and whose count of steps before it is the same; 0 where
 * that is not known. 0 or -ENOMEM. */
int late_entry_of(const struct summary *summary, size_t device, int64_t *late_ns);

#endif
