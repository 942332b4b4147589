/* The trace files of a directory, as a stored summary remembers them: by name, size and time of
 * modification. */
#ifndef SUMMARY_SUMMARY_INPUTS_H
#define SUMMARY_SUMMARY_INPUTS_H

#include "read/paths.h"

#include <stdint.h>

struct summary_input {
	const char *name; /* without the directory */
	uint64_t bytes;
	int64_t mtime_ns;
	bool young; /* changed after reading began, so it may have been read in an older state */
};

struct summary_inputs {
	struct paths paths; /* owns the names */
	struct summary_input *at;
	size_t n;
};

/* From now on traces are read: a file that is changed later is young. Needed where the program began
 * before they were written. */
void summary_inputs_begin(void);
/* Lists the trace files of `dir`, sorted by name. 0 or -errno. Call summary_inputs_close() also
 * after an error. */
int summary_inputs_open(struct summary_inputs *inputs, const char *dir);
void summary_inputs_close(struct summary_inputs *inputs);

#endif
