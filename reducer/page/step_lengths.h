/* How long the steps of a run are, one by one, over its devices. */
#ifndef PAGE_STEP_LENGTHS_H
#define PAGE_STEP_LENGTHS_H

#include "render/json.h"
#include "summary/summary.h"

/* Three keys of an open object: `width`, the steps that one cell stands for; `least`, `mean` and
 * `most`, for each cell the length of a step on the devices where it is shortest, on the mean of
 * them and where it is longest; `most_device`, the last ones' place in the report. 0 or -ENOMEM. */
int step_lengths_put(struct json *json, const struct summary *summary);

#endif
