/* The tables of nsys stats of a run, one after the other or each in a file of its own. */
#ifndef STATS_TABLES_H
#define STATS_TABLES_H

#include "rows_part.h"
#include "stats/reports.h"

enum { STATS_TABLES_MOST = 64 };

/* What nsys stats prints when it is not asked for tables. */
#define STATS_TABLES_USUAL \
	"nvtx_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum"

struct stats_tables {
	const struct stats_report *at[STATS_TABLES_MOST];
	size_t n;
	enum sheet_format format;
	struct rows_ask ask; /* the part of the run */
	const char *base;    /* files BASE_NAME.csv; NULL: standard output */
};

/* Adds the tables with these names, by commas. An enum status; says what is wrong. */
int stats_tables_choose(struct stats_tables *tables, const char *names);
/* Of the run that is asked for. An enum status; says what is wrong. */
int stats_tables_write(const struct stats_tables *tables);

#endif
