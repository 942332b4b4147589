/* `baton record --keep-slow`: a process beside the job looks at the steps as they are written, and
 * keeps a copy of the traces where one took much longer than the others (docs/RECORD.md). */
#ifndef RECORD_SLOW_H
#define RECORD_SLOW_H

#include "cli/command.h"
#include "record_beside.h"

struct capture_window; /* record/capture_window.h */
struct slow_steps;     /* what has been found so far */

struct record_slow {
	double times;                  /* the usual step; 0: nothing is looked for */
	const char *directory, *shown; /* of the run: its absolute path, and as the user named it */
	int64_t keep_ns;               /* what the traces hold */
	struct slow_steps *found;      /* shared by the processes */
	struct beside beside;
};

/* Reads --keep-slow; with it the window keeps the last part in any case. An enum status. */
int record_slow_read(const struct invocation *call, struct record_slow *slow,
					 struct capture_window *window);
/* Starts the process; call it before there is a thread. */
void record_slow_begin(struct record_slow *slow);
/* Starts another one if it has ended, a few times. */
void record_slow_attend(struct record_slow *slow);
/* Ends it. */
void record_slow_end(struct record_slow *slow);

#endif
