/* A table with a name and column heads, written row by row as text, CSV, TSV, JSON or markdown. */
#ifndef RENDER_SHEET_H
#define RENDER_SHEET_H

#include "render/json.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sheet_format { SHEET_TABLE, SHEET_CSV, SHEET_TSV, SHEET_JSON, SHEET_MARKDOWN, SHEET_FORMATS };
enum { SHEET_COLUMNS_MOST = 32 };

enum cell_kind {
	CELL_NONE, /* not known, or does not apply: empty, null in JSON */
	CELL_TEXT,
	CELL_NUMBER,  /* a whole number */
	CELL_NS,      /* nanoseconds, in a column whose head ends in "_ns"; in markdown milliseconds */
	CELL_MEAN_NS, /* likewise, with three digits after the point */
	CELL_TENTHS,  /* a number with one digit after the point */
	CELL_MILLI,   /* with three */
	CELL_SHORT    /* with six significant digits */
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

static inline struct cell cell_none(void)
{
	return (struct cell){CELL_NONE, {0}};
}
static inline struct cell cell_ns(int64_t ns)
{
	return (struct cell){.kind = CELL_NS, .number = ns};
}
static inline struct cell cell_mean_ns(double ns)
{
	return isfinite(ns) ? (struct cell){.kind = CELL_MEAN_NS, .value = ns} : cell_none();
}
static inline struct cell cell_short(double value)
{
	return isfinite(value) ? (struct cell){.kind = CELL_SHORT, .value = value} : cell_none();
}
/* Empty where it is -1: not known. */
static inline struct cell cell_known(int64_t number)
{
	return number == -1 ? cell_none() : cell_number(number);
}
static inline struct cell cell_yes(bool yes)
{
	return cell_text(yes ? "yes" : "no");
}

/* Several tables in one output: an empty line between them, in markdown a title above each. */
struct sheets {
	FILE *out;
	enum sheet_format format;
	struct sheet sheet; /* the table that is open */
	size_t n;           /* tables */
	int error;          /* -ENOMEM: cells are missing */
};

void sheets_open(struct sheets *sheets, FILE *out, enum sheet_format format);
void sheets_begin(struct sheets *sheets, const struct sheet_spec *spec);
void sheets_row(struct sheets *sheets, const struct cell *cells);
void sheets_end(struct sheets *sheets);

#endif
