/* The report of one run, as JSON (schema baton.report/0) and as text for people. Renderers do no
 * arithmetic beyond percentages. */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "conclude/by.h"
#include "summary/reduction.h"
#include "conclude/findings.h"

#include <stdio.h>

struct report {
	char *const *dirs;
	size_t n_dirs;
	const struct reduction *reduction;
	const struct figures *figures;
	const struct findings *findings;
	const char *part;          /* of the run, as "rank 3, step 7..9"; NULL: all */
	uint32_t kernels;          /* how many to print; 0: all */
	bool gaps;                 /* they were asked for */
	const struct by_table *by; /* asked for; or NULL */
	uint32_t by_top;           /* how many of its rows; 0: all */
};

void report_json(const struct report *report, FILE *out);
void report_text(const struct report *report, FILE *out);
/* Sentences of report_text() alone, each on one line: the answer (`listed`: a list of the losses
 * follows, which it announces); of a finding what curing it wins and the command that shows where,
 * either of them or none. */
void report_answer(const struct report *report, bool listed, FILE *out);
void report_gain(const struct report *report, size_t finding, FILE *out);
void report_see(const struct report *report, size_t finding, FILE *out);
/* Only the worst gaps with their proof. */
void report_gaps_text(const struct report *report, FILE *out);

#endif
