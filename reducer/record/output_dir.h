/* The directory of a recording: made, found empty or emptied. The members of one launch (launch.h)
 * share one; each leaves a hidden mark in it, and what is older than the oldest mark of the launch
 * is an earlier run's. */
#ifndef RECORD_OUTPUT_DIR_H
#define RECORD_OUTPUT_DIR_H

#include "record/launch.h"

#include <limits.h>

struct output_dir {
	char path[PATH_MAX]; /* as the user named it */
	bool is_new;         /* made by us */
};

/* Makes the directory that `pattern` (output_name.h) names, mode 0700, and those above it. `force`
 * removes the traces and the summary of an earlier run, nothing else. 0 or -errno: -EINVAL the
 * pattern (told), -ENOTEMPTY an earlier run or something else is in it. */
int output_dir_open(const char *pattern, const struct launch *launch, bool force,
					struct output_dir *out);
/* The job could not be started: what we made goes, where nobody else has used it. */
void output_dir_undo(const struct output_dir *out);

#endif
