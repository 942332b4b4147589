/* The most that curing a cause can change on each unit: where that is little nothing is replayed. */
#ifndef GRAPH_COSTS_H
#define GRAPH_COSTS_H

#include "graph/causes.h"

/* Is there any time of a label, any wait, anything held up? True of causes that are none of these. */
bool costs_something(const struct model *model, enum cause cause);
/* By unit at least what cause_take() takes off the measured weights of that unit alone. The caller
 * frees it. NULL: no memory. */
int64_t *costs_of_units(const struct causes *causes, enum cause cause);
/* By host the sum of its units, 0 where a host has one unit or all of them. */
int64_t *costs_of_hosts(const struct model *model, const int64_t *units_ns);
/* Of many units or hosts those with most of a cause are asked: the least that one of them has. */
int64_t costs_asked(const int64_t *most_ns, size_t n);

#endif
