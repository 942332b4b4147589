/* What the recorder in the job's processes is told: the BATON_* variables (docs/RECORD.md; the
 * other side is shim/base/config.c), and LD_PRELOAD. An option wins over its variable; a variable that
 * no option speaks of is left as it is. */
#ifndef RECORD_ENVIRONMENT_H
#define RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct recording {
	const char *directory; /* absolute */
	const char *library;   /* libbaton.so, absolute */
	const char *run_id;
	const char *trace, *stacks, *graphs, *backward, *step_marks,
		*window; /* NULL: the environment's own, else the default */
	bool verbose;
};

/* BATON_LIB, else beside the program, else ../lib/baton of it. 0 or -ENOENT. */
int environment_library(char *path, size_t room);
/* Sets the variables in this process: the job inherits them. 0 or -errno. */
int environment_set(const struct recording *recording);

#endif
