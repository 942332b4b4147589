/* What hiding collectives under compute would win at most (docs/GRAPH.md, "Asking for changes"). */
#ifndef GRAPH_OVERLAP_H
#define GRAPH_OVERLAP_H

#include "graph/model.h"

/* No op of another stream waits for a collective, but for the last one of each step of its unit: takes
 * those edges out. *freed: how many. 0 or -ENOMEM. */
int overlap_take(const struct model *model, int64_t *weights_ns, uint64_t *freed);

#endif
