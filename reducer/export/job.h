/* What is exported, and where to. */
#ifndef EXPORT_JOB_H
#define EXPORT_JOB_H

#include <stdbool.h>

struct run;

struct export_job {
	struct run *run;    /* open */
	const char *output; /* what -o says, or NULL */
	bool each_rank;     /* a file for each process, in the directory `output` */
	bool replace;       /* files that are there already */
};

#endif
