/* The tables of the nvprof study of BERT and GPT-2: all GPU work of a run by device, group and name,
 * in the study's own groups (classify/seed.h). */
#ifndef STATS_SEED_STUDY_H
#define STATS_SEED_STUDY_H

#include "render/sheet.h"

struct stats_run; /* stats/events.h */

struct seed_forms {
	enum sheet_format format;
	FILE *out;
	const char *svg; /* a file for the charts (stats/seed_chart.h); NULL: none */
};

/* Prints the tables of an open run, or of its part, and says what cannot be read. An enum status. */
int seed_study_print(struct stats_run *run, const struct seed_forms *forms);
struct seed_view { /* what to do with an open run, or its part; an enum status */
	int (*take)(struct stats_run *run, const void *context);
	const void *context;
};

struct seed_opener { /* opens the run in these directories for a view; an enum status */
	int (*open)(const void *context, char *const *dirs, size_t n, const struct seed_view *view);
	const void *context;
};

/* The same groups of several runs, over all devices of each: `operands` are runs, with commas
 * between the directories of one. An enum status. */
int seed_study_compare(char *const *operands, size_t n, const struct seed_forms *forms,
					   const struct seed_opener *opener);

#endif
