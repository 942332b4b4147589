/* The charts of the nvprof study: GPU time by group, in ms and as a part of all, of GPUs or of
 * runs. */
#ifndef STATS_SEED_CHART_H
#define STATS_SEED_CHART_H

#include <stddef.h>
#include <stdint.h>

enum { SEED_CHART_GROUPS = 4, SEED_CHART_BARS = 64 /* at most; the first ones */ };

struct seed_bar { /* a GPU, or a run */
	const char *name;
	int64_t ns[SEED_CHART_GROUPS], all_ns;
};

struct seed_chart {
	const char *title; /* "GPU time by device and group" */
	const char *x;     /* "GPU" */
	const char *groups[SEED_CHART_GROUPS];
	const struct seed_bar *bars;
	size_t n;
};

/* Writes the file, whole or not at all. An enum status; says what is wrong. */
int seed_chart_write(const struct seed_chart *chart, const char *path);

#endif
