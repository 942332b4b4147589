/* What the tables of `baton stats` are made from: the files of a run, one after the other, and the
 * names of their rows as nsys prints them. */
#ifndef STATS_EVENTS_H
#define STATS_EVENTS_H

#include "read/rows.h"
#include "read/run.h"

/* Which rows count. By process: those that begin in [from, to), where these are not NULL. By device:
 * what lies on streams of those that are wanted, and other rows of the processes that drive one. */
struct stats_part {
	const char *ranks; /* base/rank_list.h; NULL: all */
	const int64_t *from_ns, *to_ns;
	const bool *devices; /* by index in the run; NULL: all */
};

struct stats_run {
	struct run *run;
	struct strings pool; /* names of all files */
	struct stats_part part;
	int64_t begin_ns; /* the first start of all rows: where traces begin to count */
	int status;       /* STATUS_PARTIAL: a file is damaged, or could not be read again */
};

struct stats_file { /* one process */
	struct stats_run *run;
	const struct run_process *process;
	struct trace trace;
	uint32_t *pooled; /* string of the file -> name in the run's pool */
	bool *devices;    /* by device of the file: wanted; NULL: all are */
};

/* Called for each file; another value than 0 ends the walk. */
typedef int stats_visit(struct stats_file *file, void *context);

/* 0 or -ENOMEM. */
int stats_run_open(struct stats_run *run, struct run *of);
void stats_run_close(struct stats_run *run);
/* Sets begin_ns for the whole run, where only a part of it will be read. */
void stats_find_begin(struct stats_run *run);
/* Opens each file in turn. What cannot be read is said, and run->status tells it. The first value
 * of `visit` that is not 0, or -ENOMEM, or 0. */
int stats_each(struct stats_run *run, stats_visit *visit, void *context);

/* Does a row of this process count? */
bool stats_process_counts(const struct stats_run *run, size_t process);
/* 0 or -errno; after 0 call stats_file_close(), by which run->status tells of damage. */
int stats_file_open(struct stats_run *run, size_t process, struct stats_file *file);
void stats_file_close(struct stats_file *file);

/* Does the current row count, of a process that does? */
bool stats_row_counts(const struct stats_file *file, const struct rows *rows);
/* The next row that counts. */
bool stats_next(const struct stats_file *file, struct rows *rows);

/* Names in the run's pool of the current row, 0: out of memory. */
uint32_t stats_op_name(struct stats_file *file, const struct rows *op);
uint32_t stats_call_name(struct stats_file *file, const struct rows *call);
uint32_t stats_range_name(struct stats_file *file, const struct rows *range);
uint32_t stats_text(struct stats_file *file, const char *text);
static inline const char *stats_name(const struct stats_run *run, uint32_t name)
{
	return strings_get(&run->pool, name).at;
}

#endif
