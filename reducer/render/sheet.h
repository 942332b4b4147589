/* A table of `baton stats`, written row by row in one of the formats that nsys stats has. */
#ifndef RENDER_SHEET_H
#define RENDER_SHEET_H

#include "render/json.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sheet_format { SHEET_TABLE, SHEET_CSV, SHEET_TSV, SHEET_JSON, SHEET_MARKDOWN, SHEET_FORMATS };
enum { SHEET_COLUMNS_MOST = 32 };

enum cell_kind {
	CELL_NONE, /* not known, or does not apply: empty, null in JSON */
	CELL_TEXT,
	CELL_NUMBER, /* a whole number */
	CELL_TENTHS, /* a number with one digit after the point */
	CELL_MILLI   /* with three */
};

struct cell {
	enum cell_kind kind;
	union {
		const char *text;
		int64_t number;
		double value;
	};
};

struct sheet_spec {
	const char *name, *title;
	const char *const *heads; /* ends with NULL */
};

struct sheet {
	FILE *out;
	enum sheet_format format;
	const struct sheet_spec *spec;
	size_t columns;
	int widths[SHEET_COLUMNS_MOST]; /* of a table: from its first rows */
	char **waiting;                 /* cells of the rows that wait until the widths are known */
	size_t n_waiting;
	struct json json;
	uint64_t rows;
};

/* The format with this name, or SHEET_FORMATS. */
enum sheet_format sheet_format_of(const char *name);
/* "csv": how the name of a file in this format ends. */
const char *sheet_ending(enum sheet_format format);

void sheet_open(struct sheet *sheet, FILE *out, enum sheet_format format,
				const struct sheet_spec *spec);
/* A row with as many cells as the spec has heads. 0 or -ENOMEM. */
int sheet_row(struct sheet *sheet, const struct cell *cells);
/* Writes what is left and frees; errors of output are in ferror(out). */
void sheet_close(struct sheet *sheet);

static inline struct cell cell_text(const char *text)
{
	return text ? (struct cell){CELL_TEXT, {.text = text}} : (struct cell){CELL_NONE, {0}};
}
static inline struct cell cell_number(int64_t number)
{
	return (struct cell){.kind = CELL_NUMBER, .number = number};
}
static inline struct cell cell_tenths(double value)
{
	return (struct cell){.kind = CELL_TENTHS, .value = value};
}
static inline struct cell cell_milli(double value)
{
	return (struct cell){.kind = CELL_MILLI, .value = value};
}

#endif
