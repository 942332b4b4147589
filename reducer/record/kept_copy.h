/* A copy of what a run's traces hold now, in a directory of its own: a recording with --keep-last
 * goes on and leaves that out in its time, the copy stays. */
#ifndef RECORD_KEPT_COPY_H
#define RECORD_KEPT_COPY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct kept_copy {
	bool (*stop)(void); /* in: as in read/copy_trace.h, or NULL */
	uint64_t traces;    /* of processes and of GPU samples */
	uint64_t bytes;
	char unread[PATH_MAX]; /* after an error: what could not be read; "": it is no error of that */
};

/* Copies the traces of the directory `from` into `to`, which must not exist; its parent must. Under
 * this name it is there as a whole or not at all. 0; -EEXIST: it exists; -ENODATA: nothing is
 * recorded yet; -EINTR: stop() said so; or another -errno, and what was made is removed. A file in `from` that is no trace
 * is left out. */
int kept_copy_make(const char *from, const char *to, struct kept_copy *copy);
/* Removes a copy, `name` relative to `dirfd`: the traces and the summary in it, and the directory if
 * that is all. */
void kept_copy_remove(int dirfd, const char *name);

#endif
