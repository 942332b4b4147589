/* The line of code in a finding (docs/ATTRIBUTION.md section 8, "Lines in findings"). */
#ifndef CONCLUDE_FINDING_LINE_H
#define CONCLUDE_FINDING_LINE_H

#include "conclude/findings.h"
#include "conclude/stragglers.h"

/* The line with most time behind some leaves of one device or (device 0) of all, unless that is
 * little of `all_ns`: where the thread was, or only what it launched afterwards; and where most of
 * it was in a framework that the line called. 0 or -ENOMEM. */
int finding_say_line(const struct summary *summary, const struct figures *figures, uint64_t leaves,
					 uint32_t device, int64_t all_ns, struct finding *out);

#endif
