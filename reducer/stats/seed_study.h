/* The tables of the nvprof study of BERT and GPT-2: all GPU work of a run by device, group and name,
 * in the study's own groups (classify/seed.h). */
#ifndef STATS_SEED_STUDY_H
#define STATS_SEED_STUDY_H

#include "render/sheet.h"

struct run;

struct seed_forms {
	enum sheet_format format;
	FILE *out;
	const char *svg; /* a file for the charts (stats/seed_chart.h); NULL: none */
};

/* Prints the tables of an open run, and says what cannot be read. An enum status. */
int seed_study_print(struct run *run, const struct seed_forms *forms);
/* The same groups of several runs, over all devices of each: `operands` are runs, with commas
 * between the directories of one. An enum status. */
int seed_study_compare(char *const *operands, size_t n, const struct seed_forms *forms);

#endif
