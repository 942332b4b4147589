/* What costs time, as sentences (docs/ATTRIBUTION.md section 7): one row per cause. A loss is
 * always listed; it is a finding when it is large enough to act on. */
#ifndef CONCLUDE_FINDINGS_H
#define CONCLUDE_FINDINGS_H

#include "conclude/finding.h"

struct findings {
	struct finding *at; /* findings before the other losses, what wins most first */
	size_t n;
};

int findings_make(const struct summary *summary, const struct figures *figures,
				  struct findings *out);
void findings_free(struct findings *findings);

#endif
