/* --step-range, and whether it names a range of the run at all. */
#ifndef ATTRIBUTE_NAMED_STEPS_H
#define ATTRIBUTE_NAMED_STEPS_H

#include "classify/step_range.h"
#include "read/run.h"

/* --step-range for a run that is open; `text`: what the user gave, NULL: nothing, then *out is NULL. If
 * no range of the run is named so, says with diag() which there are. `dir`: the run's directory.
 * An enum status: STATUS_USAGE when the text names nothing or is no regular expression. */
int named_steps_open(const struct run *run, const char *text, const char *dir,
					 struct step_range **out);

#endif
