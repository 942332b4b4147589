/* One table of what launches cost: by line, stack, module, operator or range
 * (docs/ATTRIBUTION.md section 8). */
#ifndef CONCLUDE_BY_H
#define CONCLUDE_BY_H

#include "summary/summary.h"

struct by_table {
	enum site_by by;
	const struct site_summary *rows; /* in the summary, in its order */
	size_t n;
	struct site_sums all;
	int64_t steps; /* of all devices together: what a mean divides by */
	bool told;     /* some row names something */
};

/* "line", "stack", "module", "op", "range"; 0: no such table. */
enum site_by by_named(const char *name);
const char *by_name(enum site_by by);

void by_open(struct by_table *table, const struct summary *summary, enum site_by by);
/* Rows from `from` on, together. */
struct site_sums by_sum(const struct by_table *table, size_t from);
/* Why the table tells nothing, and what to do. */
const char *by_lack(const struct summary *summary, enum site_by by);

/* How long a line is without what it called. */
size_t by_outer_bytes(const char *line);
/* A name of the run's rows without its directory: "train.py:91 (loop)". Of a line that called a
 * framework both: "train.py:91 (main) > lib/loop.py:7 (run)". */
void by_short_line(const char *line, char *out, size_t room);
/* The first of them alone; the second, "" where there is none. */
void by_short_outer(const char *line, char *out, size_t room);
void by_short_inside(const char *line, char *out, size_t room);

#endif
