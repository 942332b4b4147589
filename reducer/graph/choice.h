/* Which of the suspects is the culprit (docs/GRAPH.md, "The culprit"). */
#ifndef GRAPH_CHOICE_H
#define GRAPH_CHOICE_H

#include "graph/suspects.h"

/* Fewer waits for the GPU everywhere. */
bool choice_is_structure(const struct culprit *culprit);
/* Unevenness of all. */
bool choice_is_even(const struct culprit *culprit);
/* NULL: none wins enough. *structure: fewer waits everywhere are all that wins so much. */
const struct culprit *choice_best(const struct model *model, const struct suspects *all,
								  int64_t step_ns, bool *structure);
/* Of whom several units may be named instead of the best: of uneven hosts, where that wins most of what
 * steady ones would. Else the best. */
const struct culprit *choice_even_host(const struct suspects *all, const struct culprit *best);
/* Where the best is structure: one rank with two causes is cured by neither, and by fewer waits for
 * the GPU. When causes that are no structure win enough together, the first of them goes before it.
 * 0 or -ENOMEM. */
int choice_own(struct causes *causes, struct suspects *all, const int64_t *from_ns,
			   struct culprit *best);

#endif
