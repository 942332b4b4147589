/* Is the range that --step-range names in the run at all? */
#ifndef ATTRIBUTE_NAMED_STEPS_H
#define ATTRIBUTE_NAMED_STEPS_H

#include "classify/step_range.h"
#include "read/run.h"

/* *found: some process has a range that `range` matches. If none has, says with diag() which ranges
 * there are. `text`: what the user gave; `dir`: the run's directory. 0 or -errno. */
int named_steps_check(const struct run *run, const struct step_range *range, const char *text,
					  const char *dir, bool *found);

#endif
