/* What nvprof prints with --csv, written from a run (docs/COMPATIBILITY.md). */
#ifndef EXPORT_NVPROF_H
#define EXPORT_NVPROF_H

#include "stats/events.h"

#include <stdio.h>

struct export_job;

/* Writes job->output from the open job->rows. Says what goes wrong; an enum status. */
int nvprof_export(const struct export_job *job);

/* ---- for its parts ---- */

struct nvprof_out {
	FILE *out;
	const char *dir; /* a file for each process in it; NULL: one file */
	unsigned tables; /* bits of enum nvprof_tables */
	struct stats_run *rows;
	uint32_t *shown; /* by name in the run's pool: the readable one; 0: not made yet */
	size_t shown_room;
};

enum nvprof_tables { NVPROF_GPU_TRACE = 1, NVPROF_API_TRACE = 2, NVPROF_SUMMARY = 4 };

/* What nvprof calls the current row; NULL: out of memory. */
const char *nvprof_op_name(struct nvprof_out *to, struct stats_file *file, const struct rows *op);
const char *nvprof_call_name(struct nvprof_out *to, struct stats_file *file,
							 const struct rows *call);

/* A line of nvprof's own. */
void nvprof_remark(const struct nvprof_out *to, const struct stats_file *file, const char *text);
void nvprof_put_ms(int64_t ns, FILE *out);

/* Write the tables of a process. 0 or -errno. */
int nvprof_write_traces(struct nvprof_out *to, struct stats_file *file);
int nvprof_write_summary(struct nvprof_out *to, struct stats_file *file);

#endif
