/* Launches of a large sample that follow each other, taken together (docs/GRAPH.md, "Bundles"). */
#ifndef GRAPH_BUNDLES_H
#define GRAPH_BUNDLES_H

#include "graph/process.h"

/* Replaces runs of at most `most` launches by two calls and one op each. 0 or -ENOMEM. */
int bundles_make(struct process *process, uint32_t most);
/* Adds the edges from a bundle's last launch to its end; call it when calls have their nodes. 0 or
 * -ENOMEM. */
int bundles_link(const struct process *process, struct model *model);

#endif
