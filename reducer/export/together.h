/* Rows of several tables of a trace in order of start; those that begin together come at once, the
 * longest first, so that what encloses comes before what it encloses. */
#ifndef EXPORT_TOGETHER_H
#define EXPORT_TOGETHER_H

#include "export/sink.h"
#include "read/rows.h"

enum { TOGETHER_TABLES = 3 };

struct together_row {
	struct walk_row row;
	uint64_t order;
};

struct together {
	struct rows rows[TOGETHER_TABLES];
	unsigned kind[TOGETHER_TABLES];
	bool more[TOGETHER_TABLES];
	unsigned n_tables;
	int64_t from_ns, to_ns;
	struct together_row *at; /* those that begin together */
	size_t n, room;
};

/* The rows of these tables that begin in [from, to). 0 or -errno; close it in any case. */
int together_open(struct together *t, struct trace *trace, const unsigned *kinds, unsigned n);
/* Fills t->at with the next ones; t->n is 0 at the end. 0 or -errno. */
int together_next(struct together *t);
void together_close(struct together *t);

/* Copies the current row. */
void walk_row_copy(struct walk_row *row, const struct rows *rows, unsigned table);

#endif
