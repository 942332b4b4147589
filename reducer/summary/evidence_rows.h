/* What stood behind some leaves, by name, over all devices or of one. Names that differ only in a
 * number at their end ("ProfilerStep#7", "step 12") are one row. */
#ifndef SUMMARY_EVIDENCE_ROWS_H
#define SUMMARY_EVIDENCE_ROWS_H

#include "summary/summary.h"

struct evidence_row {
	const char *what; /* one of the names, in the summary's pool */
	size_t stem;      /* its length without the number */
	bool folded;      /* there were several numbers */
	uint64_t count;   /* gaps */
	int64_t ns;
};

/* The length of a name without the number at its end; all of it when there is none. A number after
 * a letter or a colon belongs to the name: conv2d, train.py:91. */
size_t evidence_stem(const char *name);

struct evidence_rows {
	struct evidence_row *at; /* most time first, then by name */
	size_t n;
};

/* `device`: its key, 0 for all. 0 or -ENOMEM; evidence_rows_close() either way. */
int evidence_rows_open(struct evidence_rows *rows, const struct summary *summary, uint64_t leaves,
					   uint32_t device);
void evidence_rows_close(struct evidence_rows *rows);

/* The row of this name, perhaps of another summary; NULL: none. */
const struct evidence_row *evidence_rows_find(const struct evidence_rows *rows,
											  const struct evidence_row *like);
/* "ProfilerStep#*", or the name as it is; cut to `bytes`. */
const char *evidence_row_name(const struct evidence_row *row, char *out, size_t bytes);

#endif
