/* Reads the events of a run that was reduced, for views of events (export/job.h). */
#ifndef REDUCE_EVENTS_H
#define REDUCE_EVENTS_H

#include "export/job.h"

/* The `reduce` of a job: with the options of the command line and the callbacks given; only where
 * these want to store is a summary written, and the run replayed. */
int reduce_events(const struct export_job *job, const struct reduce_options *callbacks);

#endif
