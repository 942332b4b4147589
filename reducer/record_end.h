/* What `baton record` says and prints when the job has ended. Of the tasks of a launch the first one
 * does it for all of them. */
#ifndef RECORD_END_H
#define RECORD_END_H

#include "read/salvage.h"
#include "record/launch.h"

#include <stdbool.h>

struct record_end {
	const char *directory, *shown; /* of the run: its absolute path, and as the user named it */
	const struct launch *launch;
	bool by_range; /* processes record from cudaProfilerStart on */
	struct salvage_result salvaged;
};

/* One line for a run. True: it was said here, and the run has something to report. */
bool record_end_say(const struct record_end *end);
/* Prints the tables of --stats. What goes wrong is said, and the status is the job's. */
void record_end_stats(const struct record_end *end);

#endif
