/* A study of a run whose steps are found by periodicity needs to read each device once, where all
 * have the steps of the first one: its ops are kept from its scan. */
#ifndef ONE_STUDY_H
#define ONE_STUDY_H

#include "visits.h"

/* *scanned: all devices have been, *done: and the study has seen them all. Else it is to be made as
 * usual. 0 or -errno. */
int one_study(struct work *work, struct device_context *context, bool *scanned, bool *done);

#endif
