/* What `baton export --format` is asked for. */
#ifndef EXPORT_JOB_H
#define EXPORT_JOB_H

#include "summary/reduction.h"

struct run;
struct stats_run;

struct export_filter {
	bool by_step, by_time;
	int64_t from_step, to_step; /* numbers of their markers, else places; both included */
	int64_t from_ns, to_ns;     /* since the run's first event */
	const char *ranks;          /* "0,4-7", valid; NULL: all */
	const char *device;         /* of the processes that drive it; NULL: all */
	uint64_t most;              /* slices; 0: all */
};

struct export_job {
	char *const *dirs; /* of one run */
	size_t n_dirs;
	/* The same, open, and which of its rows count: for formats of single rows, else NULL. */
	struct stats_run *rows;
	const char *output; /* what -o says, or NULL */
	bool each_rank;     /* a file for each process, in the directory `output` */
	const char *print;  /* which tables of nvprof, as --print says; NULL: not said */
	bool replace;       /* files that are there already */
	struct export_filter filter;
	unsigned levels; /* of a data set: 0: a directory for each table; 1: in it one for each rank; 2:
					  * in that one for each step */
	/* Reduces the run with options of the command line and these callbacks; returns an enum status,
	 * and says what is wrong itself. */
	int (*reduce)(const struct export_job *job, const struct reduce_options *callbacks);
	const struct reduce_options *how; /* of the command line */
	/* Is device `index` of the run called so? */
	bool (*wants)(const struct run *run, size_t index, const char *name);
};

/* The name of the file of one process, in new memory; NULL: no memory. `alone`: no other process
 * has its rank. */
struct export_member {
	int32_t rank; /* -1: not known */
	int64_t pid;
	size_t place; /* among the processes */
	bool alone;
};
char *export_member_name(const struct export_member *member, const char *ending);

#endif
