/* The live screen of `baton record --top`: a child process on the terminal while the job runs. What
 * of the job would come onto the terminal goes into a file of the run's directory. */
#ifndef RECORD_TOP_H
#define RECORD_TOP_H

#include "record/launch.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct record_top {
	const char *dir; /* as the user named it */
	int terminal;    /* -1: no screen is wanted */
	int out;         /* the file with the job's output; -1: nothing of it would come here */
	pid_t screen;    /* 0: it has not begun */
	struct termios before;
};

/* May there be a screen? STATUS_OK, or STATUS_USAGE after saying why not. Opens the terminal. */
int record_top_open(struct record_top *top, const struct launch *launch);
/* The job's stdin, stdout and stderr. 0 or -errno: the file cannot be made. */
int record_top_streams(struct record_top *top, const char *dir, int streams[3]);
/* Begins the screen. Before any thread. */
void record_top_begin(struct record_top *top);
/* Ends it: the terminal is as it was. */
void record_top_end(struct record_top *top);
/* The job never ran: removes the file. */
void record_top_undo(const struct record_top *top);
/* Says where the job's output is; of one that `failed` its last lines. */
void record_top_say(const struct record_top *top, bool failed);

#endif
