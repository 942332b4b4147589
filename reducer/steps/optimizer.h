/* Steps from the marks that the recorder writes at the end of each optimizer step
 * (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_OPTIMIZER_H
#define STEPS_OPTIMIZER_H

#include "steps/markers.h"

/* Finds the steps by the marks of one process. What was launched before the first mark is a cut
 * step. With fewer than two marks there are no steps. `launches`: by thread, for loops_choose(). 0 or
 * -errno. */
int steps_from_optimizer(struct trace *trace, const uint64_t *launches, struct steps *out);

#endif
