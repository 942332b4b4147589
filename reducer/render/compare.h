/* Runs against each other, as JSON (schema baton.compare/0) and as text. */
#ifndef RENDER_COMPARE_H
#define RENDER_COMPARE_H

#include "conclude/charged.h"
#include "conclude/row_change.h"
#include "conclude/work.h"

#include <stdio.h>

struct comparison {
	size_t n;
	const char *part;                       /* of each run: "rank 3, step 7"; NULL: all of it */
	bool lacks_ranks;                       /* of it, so that waits are not charged */
	const char *const *names;               /* as the user gave them */
	const struct summary *const *summaries; /* of several runs the middle one's */
	const struct scaling_run *runs;
	const struct scaling_result *result;
	const struct change_sides *sides;               /* each run and the base */
	const struct change *changes;                   /* of each run against the base */
	const struct work *work;                        /* likewise */
	const struct charged *charged;                  /* likewise */
	const struct row_changes (*rows)[CHANGE_KINDS]; /* likewise; none where the work is another */
};

void compare_json(const struct comparison *comparison, FILE *out);
void compare_text(const struct comparison *comparison, FILE *out);
/* Sentences of compare_text() alone, each on one line: on all runs; on run i, which is not the
 * base. */
void compare_sentences(const struct comparison *comparison, FILE *out);
void compare_run_sentences(const struct comparison *comparison, size_t i, FILE *out);

#endif
