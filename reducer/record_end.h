/* What `baton record` says and prints when the job has ended. Of the tasks of a launch the first
 * one does it for all of them. */
#ifndef RECORD_END_H
#define RECORD_END_H

#include "read/salvage.h"
#include "record/launch.h"

#include <stdbool.h>

struct record_end {
	const char *directory, *shown; /* of the run: its absolute path, and as the user named it */
	const struct launch *launch;
	bool by_range; /* processes record from cudaProfilerStart on */
	bool waits;    /* a few seconds for other tasks of the launch: something is to be printed */
	struct salvage_result salvaged;
};

/* What is left to be printed about the run: nothing (another task does it, or nothing was recorded,
 * and that was said), nothing yet, or all of it. */
enum record_left { RECORD_NOTHING, RECORD_UNDER_WAY, RECORD_WHOLE };
/* One line for a run. */
enum record_left record_end_say(const struct record_end *end);
/* Print the tables of --stats on stdout, and the report on stderr, or say why not yet. What goes
 * wrong has a message, and the status is the job's. */
void record_end_stats(const struct record_end *end, enum record_left left);
void record_end_report(const struct record_end *end, enum record_left left);

#endif
