/* Steps from the marks that the recorder leaves at the end of each optimizer's step
 * (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_OPTIMIZER_H
#define STEPS_OPTIMIZER_H

#include "steps/markers.h"

/* From the marks of one process; what was launched before the first one is a step that is cut. No
 * steps when there are fewer than two marks. 0 or -errno. */
int steps_from_optimizer(struct trace *trace, struct steps *out);

#endif
