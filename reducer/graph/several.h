/* Several units that together are what a cause of all wins: three slow GPUs, two slow loaders
 * (docs/GRAPH.md, "The culprit"). */
#ifndef GRAPH_SEVERAL_H
#define GRAPH_SEVERAL_H

#include "graph/suspects.h"

struct several {
	struct culprit at[TOGETHER_MOST]; /* most first; cost_ns: how much more than others they have */
	size_t n;                         /* 0: no few units stand out, or they win too little */
};

/* Of a cause everywhere or on one host, on weights `from_ns`. 0 or -ENOMEM. */
int several_find(struct causes *causes, const struct suspects *all, const struct culprit *wide,
				 const int64_t *from_ns, struct several *out);
/* Writes n culprits to *out, each with its part of what all of them win. */
void several_share(const struct several *several, const struct gain *gain, int64_t limit_ns,
				   struct culprit *out);

#endif
