/* The totals of a recording, counted in its trace files, for the line that `baton record` prints at
 * its end. */
#ifndef RECORD_TOTALS_H
#define RECORD_TOTALS_H

#include <stdint.h>

struct totals {
	uint64_t processes;  /* trace files */
	uint64_t unrecorded; /* processes that used CUDA and say that they have none */
	uint64_t launches, bytes;
	uint64_t dropped;         /* launches for which there was no room */
	uint64_t dropped_others;  /* other calls, ranges, GPU records, names, stacks, shapes */
	uint64_t incomplete;      /* trace files that are not closed or cannot be read */
	uint64_t windows, opened; /* trace files with a capture window, and those whose window opened */
	uint64_t window_ns;       /* the longest window */
	/* of the last part of the job: the longest, and the longest part before one (0: none) */
	int64_t kept_ns, before_ns;
};

/* Removes the marks of processes without a trace (shim/base/unrecorded.h). */
void totals_clear(const char *directory);
/* Counts the trace files of `directory`. 0, or -errno when it cannot be read. */
int totals_count(const char *directory, struct totals *totals);

#endif
