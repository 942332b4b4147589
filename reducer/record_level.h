/* `baton record --level summary`: a process beside the job adds each stretch of time to one summary
 * of the whole job, while the traces keep the last part (docs/RECORD.md). */
#ifndef RECORD_LEVEL_H
#define RECORD_LEVEL_H

#include "cli/command.h"
#include "record_beside.h"
#include "record_end.h"

#include <stdbool.h>
#include <stdint.h>

struct capture_window; /* record/capture_window.h */

struct record_level {
	bool summary;
	const char *directory, *shown; /* of the run: its absolute path, and as the user named it */
	int64_t long_ns;               /* a stretch */
	int64_t begin_ns;              /* when the job began, by CLOCK_REALTIME */
	int tasks;                     /* of the launch */
	struct beside beside;
};

/* Reads --level; with 'summary' the window keeps the last part in any case. An enum status. */
int record_level_read(const struct invocation *call, struct record_level *level,
					  struct capture_window *window);
/* Starts the process; call it before there is a thread. */
void record_level_begin(struct record_level *level);
/* Starts another one if it has ended, a few times. */
void record_level_attend(struct record_level *level);
/* Ends it. */
void record_level_end(struct record_level *level);
/* When this task's part of the job has ended: adds what is left, and says where the summary is
 * unless `left` is RECORD_NOTHING; removes what it took beside that. */
void record_level_finish(const struct record_level *level, enum record_left left, bool verbose);
/* The summary's path as the user would name it; the caller frees it. NULL: no memory. */
char *record_level_path(const struct record_level *level);

#endif
