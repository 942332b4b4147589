/* Two causes that pay only together: each hides the other, so curing one of them wins little
 * (docs/GRAPH.md, "The culprit"). */
#ifndef GRAPH_JOINT_H
#define GRAPH_JOINT_H

#include "graph/suspects.h"

struct joint_search {
	const int64_t *from_ns; /* weights that lack what was found */
	int64_t least_ns;       /* the least gain */
	const struct culprit *found;
	uint32_t n_found;
};

struct joint_found {
	struct culprit culprit; /* one that was hidden until now, or two; no cost_ns: none */
	int64_t all_ns;         /* what it wins with all others that matter */
};

/* Looks for causes of units that win something on top of the weights: one that had no chance before,
 * or two that win nothing alone, but together. 0 or -ENOMEM. */
int joint_find(struct causes *causes, const struct joint_search *search, struct joint_found *found);

/* Two culprits, the later one found when the first one was cured: when neither is worth much without
 * the other, the first one becomes both. False: each is one of its own. */
bool joint_merge(const struct causes *causes, struct culprit *first, const struct culprit *later);

#endif
