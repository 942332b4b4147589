/* Sets the options of the recorder in the job's processes: the BATON_* variables (docs/RECORD.md;
 * shim/base/config.c reads them) and LD_PRELOAD. An option overrides its variable; a variable
 * without an option keeps its value. */
#ifndef RECORD_ENVIRONMENT_H
#define RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct recording {
	const char *directory; /* absolute */
	const char *library;   /* libbaton.so, absolute */
	const char *run_id;
	const char *trace, *stacks, *graphs, *backward, *step_marks, *host_clock, *window,
		*keep_last; /* NULL: the variable's present value, else the default */
	bool verbose;
};

/* Finds libbaton.so: BATON_LIB, else beside the program, else in ../lib/baton from there. 0 or
 * -ENOENT. */
int environment_library(char *path, size_t room);
/* Sets the variables in this process; the job inherits them. 0 or -errno. */
int environment_set(const struct recording *recording);

#endif
