/* What a recording came to, counted in its trace files: for the one line at its end. */
#ifndef RECORD_TOTALS_H
#define RECORD_TOTALS_H

#include <stdint.h>

struct totals {
	uint64_t processes; /* trace files */
	uint64_t launches, dropped, bytes;
	uint64_t incomplete;      /* of them: not closed, or cannot be read */
	uint64_t windows, opened; /* of them: recorded a part of the job; and that part has come */
	uint64_t window_ns;       /* the longest */
};

/* 0 or -errno (the directory). */
int totals_count(const char *directory, struct totals *totals);

#endif
