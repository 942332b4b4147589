/* What the sections said, gathered: series with their percentiles, one table, one JSON file. */
#ifndef PROBE_REPORT_H
#define PROBE_REPORT_H

#include "result.h"

#include <stdio.h>

enum { REPORT_ROUNDS = 8 };

struct report_row {
	char type; /* of result.h's lines: S, V, T or D */
	char name[101], unit[17];
	char *text;            /* T; D: first series */
	char *other;           /* D: second series */
	struct series samples; /* S: all rounds, sorted at the end; V: a value a round, as they came */
	struct series rounds[REPORT_ROUNDS];
};

struct report_section {
	const char *name;
	char status[64]; /* "ok", or what the worst run of it came to */
	double seconds;
	int kills; /* runs of it that had to be ended */
	struct report_row *rows;
	char **messages;
	size_t row_count, message_count;
};

/* Adds what one run of a section wrote to `in`. Numbers and texts get the variant behind their name
 * (NULL: the section has one only); series have it in their own. */
void report_read(struct report_section *section, FILE *in, const char *variant);

/* Once, when all runs are read: sorts samples. */
void report_finish(struct report_section *section);

/* Nearest-rank percentile, in thousandths, of sorted samples; there is at least one. */
int64_t report_percentile(const struct series *sorted, unsigned thousandths);

void report_table(FILE *out, const struct report_section *sections, size_t count);
void report_json(FILE *out, const struct report_section *sections, size_t count);

#endif
