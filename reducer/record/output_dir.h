/* The directory of a recording: it is made, or found empty, or emptied. The members of one launch
 * (launch.h) share it. Each leaves a hidden mark file in it; a file older than the launch's oldest
 * mark belongs to an earlier run. */
#ifndef RECORD_OUTPUT_DIR_H
#define RECORD_OUTPUT_DIR_H

#include "record/launch.h"

#include <limits.h>
#include <stddef.h>

/* In the directory: the summary of all of the job (--level summary), and what the processes that add
 * to it lock. */
#define OUTPUT_SUMMARY "job.summary"
#define OUTPUT_SUMMARY_LOCK OUTPUT_SUMMARY ".lock"
/* Copies of the traces with a slow step (--keep-slow): slow-1, slow-2 ... */
#define OUTPUT_SLOW "slow-"
#define OUTPUT_SLOW_LOCK ".baton-slow"

struct output_dir {
	char path[PATH_MAX]; /* as the user named it */
	bool is_new;         /* this process made it */
	bool is_others;      /* it is another user's, neither ours nor root's */
	bool is_foreign;     /* it, or the link to it, is another's where all can write: refused */
	size_t first_made;   /* length of the first of its parents that this process made; 0: none */
};

/* Makes the directory that `pattern` (output_name.h) names, with mode 0700, and its parents.
 * `force` removes the traces and the summary of an earlier run, nothing else. 0 or -errno: -EINVAL:
 * bad pattern (already reported); -ENOTEMPTY: it has an earlier run or other files in it; -EBUSY:
 * another recorder writes into it. Until output_lock_release() no other one may. What was made is
 * removed again when it fails. */
int output_dir_open(const char *pattern, const struct launch *launch, bool force,
					struct output_dir *out);
/* Call when the job could not be started: removes what output_dir_open() made, unless another
 * process uses it. */
void output_dir_undo(const struct output_dir *out);

/* Is it the lock, or what a summary is written into before it has its name? */
bool output_dir_is_left(const char *name);
/* Is it what a copy of the traces is made in before it has its name? */
bool output_dir_is_half_copy(const char *name);

#endif
