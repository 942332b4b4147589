/* Tables for people: columns once, rows cell by cell. A screen that is too narrow shows fewer
 * columns, those on the right are dropped first; no number is cut. */
#ifndef RENDER_COLUMNS_H
#define RENDER_COLUMNS_H

#include "render/text.h"

enum column_side { COLUMN_LEFT, COLUMN_RIGHT };

struct column {
	const char *head; /* what stands in it, and its unit; "" where rows speak for themselves */
	int gap;          /* blanks before it */
	int width;        /* characters; 0 or less: the rest of the line, at least so many */
	enum column_side side;
};

enum columns_style {
	COLUMNS_PLAIN,
	COLUMNS_BOLD,
	COLUMNS_WRAPPED /* the last column goes on below itself */
};

struct columns { /* a table, and the row that is being filled */
	const struct screen *screen;
	const struct column *at;
	size_t n;
	uint64_t dropped; /* a bit for each column */
	size_t filled;    /* cells of the row */
	size_t used;      /* bytes */
	char line[2048];
};

void columns_open(struct columns *columns, const struct screen *screen, const struct column *at,
				  size_t n);
/* The line with the heads. */
void columns_heads(struct columns *columns);
/* The next cell of the row. Cells beyond the last column are left out. */
void columns_cell(struct columns *columns, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void columns_ms(struct columns *columns, int64_t ns);
/* Where the last column that is shown begins. */
int columns_last(const struct columns *columns);
/* Prints the row; cells that were not filled are empty. */
void columns_end(struct columns *columns, enum columns_style style);

#endif
