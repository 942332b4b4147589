/* The tables of `baton stats`: names, order of columns, units and statistics are those of nsys stats
 * (docs/STATS.md). */
#ifndef STATS_REPORTS_H
#define STATS_REPORTS_H

#include "stats/events.h"
#include "render/sheet.h"

struct stats_report {
	struct sheet_spec spec;
	const char *help; /* what it shows, a line */
	/* Writes the rows. 0, or -errno. */
	int (*write)(struct stats_run *run, struct sheet *sheet, int variant);
	int variant; /* for write() */
};

/* Ends with one without a name. */
extern const struct stats_report stats_reports[];

const struct stats_report *stats_report_find(const char *name); /* or NULL */

/* What `write` may be. */
int sums_write(struct stats_run *run, struct sheet *sheet, int variant);
int traces_write(struct stats_run *run, struct sheet *sheet, int variant);
int exec_sums_write(struct stats_run *run, struct sheet *sheet, int variant);
int projections_write(struct stats_run *run, struct sheet *sheet, int variant);
int range_kernels_write(struct stats_run *run, struct sheet *sheet, int variant);

enum sums_variant {
	SUMS_KERNELS,
	SUMS_CALLS,
	SUMS_COPY_TIMES,
	SUMS_COPY_SIZES,
	SUMS_GPU,
	SUMS_RANGES,
	SUMS_PUSHED,
	SUMS_NCCL
};
enum traces_variant { TRACES_GPU, TRACES_CALLS, TRACES_EXEC };

#endif
