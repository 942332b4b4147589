/* What costs time, as sentences (docs/ATTRIBUTION.md section 7): one row per cause. A loss is
 * always listed; it is a finding when it is large enough to act on: 2 % of the step, above noise,
 * clocks and our own cost. */
#ifndef CONCLUDE_FINDINGS_H
#define CONCLUDE_FINDINGS_H

#include "conclude/figures.h"
#include "conclude/rare.h"

struct finding {
	const char *id;       /* "input", "sync", "late_rank", ... */
	const char *leaf;     /* prefix for --leaf; "" when it is not about one */
	const char *severity; /* high, medium, low; none: a loss, not a finding */
	int64_t share_ns;     /* per step, mean of devices */
	char summary[320];    /* what it means, in a line */
	char remedy[200];     /* what to try; may be empty */
	char evidence[500];   /* which rows stood behind it; may be empty */
	struct rare rare;     /* rare.in > 0: most of it is in so few steps; the summary says so too */
};

struct findings {
	struct finding *at; /* findings before the other losses, each largest share first */
	size_t n;
};

int findings_make(const struct summary *summary, const struct figures *figures,
				  struct findings *out);
void findings_free(struct findings *findings);
static inline bool finding_counts(const struct finding *finding)
{
	return finding->severity[0] != 'n';
}

/* The trace has GPU work but not one call of the host: no cause of idle time can be told. */
bool findings_lack_cpu(const struct summary *summary);

#endif
