/* The evidence for some leaves: what explains their time, by name, for one device or all. Names
 * that differ only in a number at their end ("ProfilerStep#7", "step 12") share one row. */
#ifndef SUMMARY_EVIDENCE_ROWS_H
#define SUMMARY_EVIDENCE_ROWS_H

#include "summary/summary.h"

struct evidence_row {
	const char *what; /* one of the names, in the summary's pool */
	size_t stem;      /* the length of the name without the number at its end */
	bool folded;      /* several numbers share the row */
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

/* The rows for the leaves in `leaves` (LEAF_BITs). `device`: a device's key in the summary's pool,
 * 0: all devices. 0 or -ENOMEM. Call evidence_rows_close() also after an error. */
int evidence_rows_open(struct evidence_rows *rows, const struct summary *summary, uint64_t leaves,
					   uint32_t device);
void evidence_rows_close(struct evidence_rows *rows);

/* The row with the name of `like`, which may be from another summary; NULL: none. */
const struct evidence_row *evidence_rows_find(const struct evidence_rows *rows,
											  const struct evidence_row *like);
/* Writes the row's name to `out` and returns it: "ProfilerStep#*", or the name as it is, cut to
 * `bytes`. */
const char *evidence_row_name(const struct evidence_row *row, char *out, size_t bytes);

#endif
