/* Who and what costs most: of all causes the one whose cure wins most time with the least change,
 * then the next one on the cured graph (docs/GRAPH.md, "The culprit"). */
#ifndef GRAPH_CULPRIT_H
#define GRAPH_CULPRIT_H

#include "conclude/replay_late.h"
#include "graph/gain.h"

enum { CULPRITS_MOST = REPLAY_CULPRITS_MOST };

struct culprit {
	enum cause cause;
	struct scope scope;
	struct gain gain; /* per step; of a later one on top of those before it */
	int64_t limit_ns; /* the lower limit of the gain over the steps */
	int64_t cost_ns;  /* time that its cure takes off, per step */
	bool counted;     /* not asked: `cost_ns` is how much of it there is */
};

struct culprits {
	struct culprit at[CULPRITS_MOST];
	uint32_t n;
	int64_t transfer_ns;    /* what no transfer at all would win, once they are cured; at least 0 */
	int64_t unexplained_ns; /* per step, on the critical path */
};

/* 0 or -ENOMEM. */
int culprits_find(struct causes *causes, struct culprits *out);
/* What the critical path has per step that nothing explains. 0 or -ENOMEM. */
int culprits_unexplained(struct causes *causes, int64_t *ns);

#endif
