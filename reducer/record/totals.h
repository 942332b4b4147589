/* What a recording came to, counted in its trace files: for the one line at its end. */
#ifndef RECORD_TOTALS_H
#define RECORD_TOTALS_H

#include <stdint.h>

struct totals {
	uint64_t processes; /* trace files */
	uint64_t launches, dropped, bytes;
	unsigned damaged; /* files that something is missing of */
};

/* 0 or -errno (the directory). Files that cannot be read count as damaged. */
int totals_count(const char *directory, struct totals *totals);

#endif
