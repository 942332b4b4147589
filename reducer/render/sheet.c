#include "render/sheet.h"

#include "base/plain.h"
#include "render/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_THAT_WAIT = 1000 };

static const struct {
	const char *name, *ending;
} formats[SHEET_FORMATS] = {
	{"table", "txt"}, {"csv", "csv"}, {"tsv", "tsv"}, {"json", "json"}, {"markdown", "md"}};

enum sheet_format sheet_format_of(const char *name)
{
	int i = 0;
	while (i < SHEET_FORMATS && strcmp(name, formats[i].name) != 0)
		i++;
	return (enum sheet_format)i;
}

const char *sheet_ending(enum sheet_format format)
{
	return formats[format].ending;
}

/* Halves away from zero, as nsys rounds; printf() rounds them to the even digit. */
static double cell_rounded(const struct cell *cell)
{
	const double unit = cell->kind == CELL_TENTHS ? 10 : 1000;
	return fabs(cell->value) < 1e12 ? round(cell->value * unit) / unit : cell->value;
}

/* A number as text; texts are their own. */
static const char *cell_as_text(const struct cell *cell, char buffer[64])
{
	switch (cell->kind) {
	case CELL_TEXT:
		return cell->text;
	case CELL_NUMBER:
	case CELL_NS:
		snprintf(buffer, 64, "%" PRId64, cell->number);
		return buffer;
	case CELL_SHORT:
		snprintf(buffer, 64, "%.6g", cell->value);
		return buffer;
	case CELL_MEAN_NS:
	case CELL_TENTHS:
	case CELL_MILLI:
		snprintf(buffer, 64, "%.*f", cell->kind == CELL_TENTHS ? 1 : 3, cell_rounded(cell));
		return buffer;
	case CELL_NONE:
		break;
	}
	return "";
}

/* ---- a table for people ---- */

static void put_padded(struct sheet *sheet, size_t column, const char *text, bool right)
{
	const int blanks = sheet->widths[column] - plain_columns(text);
	fputs(column ? "  " : " ", sheet->out);
	if (right)
		fprintf(sheet->out, "%*s", blanks > 0 ? blanks : 0, "");
	plain_put(text, sheet->out);
	if (!right && column + 1 < sheet->columns)
		fprintf(sheet->out, "%*s", blanks > 0 ? blanks : 0, "");
}

/* Numbers stand to the right. */
static bool looks_like_number(const char *text)
{
	return *text && strspn(text, "-0123456789.") == strlen(text);
}

static void put_heads(struct sheet *sheet)
{
	fprintf(sheet->out, "\n ** %s (%s):\n\n", sheet->spec->title, sheet->spec->name);
	for (size_t i = 0; i < sheet->columns; i++)
		put_padded(sheet, i, sheet->spec->heads[i], false);
	fputc('\n', sheet->out);
	for (size_t i = 0; i < sheet->columns; i++) {
		fputs(i ? "  " : " ", sheet->out);
		for (int k = 0; k < sheet->widths[i]; k++)
			fputc('-', sheet->out);
	}
	fputc('\n', sheet->out);
}

static void put_waiting(struct sheet *sheet)
{
	const size_t n = sheet->n_waiting;
	put_heads(sheet);
	for (size_t i = 0; i < n; i++) {
		const size_t column = i % sheet->columns;
		put_padded(sheet, column, sheet->waiting[i], looks_like_number(sheet->waiting[i]));
		if (column + 1 == sheet->columns)
			fputc('\n', sheet->out);
		free(sheet->waiting[i]);
	}
	free(sheet->waiting);
	sheet->waiting = NULL;
	sheet->n_waiting = 0;
}

static int wait_row(struct sheet *sheet, const struct cell *cells)
{
	char buffer[64];
	if (!sheet->waiting)
		sheet->waiting = malloc(sheet->columns * ROWS_THAT_WAIT * sizeof(*sheet->waiting));
	if (!sheet->waiting)
		return -ENOMEM;
	for (size_t i = 0; i < sheet->columns; i++) {
		char *text = strdup(cell_as_text(&cells[i], buffer));
		if (!text)
			return -ENOMEM;
		plain_text(text);
		const int width = plain_columns(text);
		if (width > sheet->widths[i])
			sheet->widths[i] = width;
		sheet->waiting[sheet->n_waiting++] = text;
	}
	if (sheet->rows + 1 == ROWS_THAT_WAIT)
		put_waiting(sheet);
	return 0;
}

static int table_row(struct sheet *sheet, const struct cell *cells)
{
	char buffer[64];
	if (sheet->rows < ROWS_THAT_WAIT)
		return wait_row(sheet, cells);
	for (size_t i = 0; i < sheet->columns; i++)
		put_padded(sheet, i, cell_as_text(&cells[i], buffer), cells[i].kind != CELL_TEXT);
	fputc('\n', sheet->out);
	return 0;
}

/* ---- for programs ---- */

/* "gain_low_ns" is for programs; people read "gain low, ms". */
static void put_markdown_head(const char *head, FILE *out)
{
	const size_t n = strlen(head);
	const bool ns = n > 3 && strcmp(head + n - 3, "_ns") == 0;
	for (size_t i = 0; i < (ns ? n - 3 : n); i++)
		fputc(head[i] == '_' ? ' ' : head[i], out);
	fputs(ns ? ", ms" : "", out);
}

static void put_markdown(const char *text, FILE *out)
{
	char part[2] = {0};
	char *copy = strdup(text);
	if (!copy)
		return;
	plain_text(copy);
	for (const char *at = copy; *at; at++) {
		part[0] = *at;
		fputs(*at == '|'                     ? "\\|"
			  : *at == '<'                   ? "&lt;"
			  : *at == '&'                   ? "&amp;"
			  : strchr("\\`*_[]~$", part[0]) ? "\\"
											 : "",
			  out);
		if (!strchr("|<&", part[0]))
			fputs(part, out);
	}
	free(copy);
}

static void put_plain_row(struct sheet *sheet, const struct cell *cells)
{
	static const char *const between[SHEET_FORMATS] = {
		[SHEET_CSV] = ",", [SHEET_TSV] = "\t", [SHEET_MARKDOWN] = " | "};
	char buffer[64];
	if (sheet->format == SHEET_MARKDOWN)
		fputs("| ", sheet->out);
	for (size_t i = 0; i < sheet->columns; i++) {
		const char *text = cell_as_text(&cells[i], buffer);
		fputs(i ? between[sheet->format] : "", sheet->out);
		if (sheet->format == SHEET_MARKDOWN && cells[i].kind == CELL_NS)
			fprintf(sheet->out, "%.3f", (double)cells[i].number / 1e6);
		else if (sheet->format == SHEET_MARKDOWN && cells[i].kind == CELL_MEAN_NS)
			fprintf(sheet->out, "%.3f", cells[i].value / 1e6);
		else if (sheet->format == SHEET_MARKDOWN)
			put_markdown(text, sheet->out);
		else if (cells[i].kind != CELL_TEXT)
			fputs(text, sheet->out);
		else if (sheet->format == SHEET_CSV)
			csv_text(text, sheet->out);
		else
			plain_put(text, sheet->out);
	}
	fputs(sheet->format == SHEET_MARKDOWN ? " |\n" : "\n", sheet->out);
}

static void put_json_row(struct sheet *sheet, const struct cell *cells)
{
	struct json *json = &sheet->json;
	fputs(sheet->rows ? ",\n" : "\n", sheet->out);
	json->comma = false;
	json_object(json, NULL);
	for (size_t i = 0; i < sheet->columns; i++) {
		const char *key = sheet->spec->heads[i];
		switch (cells[i].kind) {
		case CELL_TEXT:
			json_text(json, key, cells[i].text);
			break;
		case CELL_NUMBER:
		case CELL_NS:
			json_number(json, key, cells[i].number);
			break;
		case CELL_SHORT:
			json_ratio(json, key, cells[i].value);
			break;
		case CELL_MEAN_NS:
		case CELL_TENTHS:
		case CELL_MILLI:
			json_decimal(json, key, cell_rounded(&cells[i]), cells[i].kind == CELL_TENTHS ? 1 : 3);
			break;
		case CELL_NONE:
			json_null(json, key);
		}
	}
	json_end_object(json);
}

static void put_plain_heads(struct sheet *sheet)
{
	struct cell heads[SHEET_COLUMNS_MOST];
	if (sheet->format == SHEET_MARKDOWN) {
		for (size_t i = 0; i < sheet->columns; i++) {
			fputs("| ", sheet->out);
			put_markdown_head(sheet->spec->heads[i], sheet->out);
			fputs(i + 1 < sheet->columns ? " " : " |\n", sheet->out);
		}
		for (size_t i = 0; i < sheet->columns; i++)
			fputs(i + 1 < sheet->columns ? "|---" : "|---|\n", sheet->out);
		return;
	}
	for (size_t i = 0; i < sheet->columns; i++)
		heads[i] = cell_text(sheet->spec->heads[i]);
	put_plain_row(sheet, heads);
}

void sheet_open(struct sheet *sheet, FILE *out, enum sheet_format format,
				const struct sheet_spec *spec)
{
	*sheet = (struct sheet){.out = out, .format = format, .spec = spec, .json = {.out = out}};
	while (spec->heads[sheet->columns])
		sheet->columns++;
	for (size_t i = 0; i < sheet->columns; i++)
		sheet->widths[i] = plain_columns(spec->heads[i]);
	if (format == SHEET_JSON)
		fputc('[', out);
	else if (format != SHEET_TABLE)
		put_plain_heads(sheet);
}

int sheet_row(struct sheet *sheet, const struct cell *cells)
{
	int error = 0;
	if (sheet->format == SHEET_TABLE)
		error = table_row(sheet, cells);
	else if (sheet->format == SHEET_JSON)
		put_json_row(sheet, cells);
	else
		put_plain_row(sheet, cells);
	sheet->rows++;
	return error;
}

void sheet_close(struct sheet *sheet)
{
	if (sheet->format == SHEET_JSON)
		fputs("\n]\n", sheet->out);
	else if (sheet->format == SHEET_TABLE && sheet->rows < ROWS_THAT_WAIT)
		put_waiting(sheet);
}

/* ---- several ---- */

void sheets_open(struct sheets *sheets, FILE *out, enum sheet_format format)
{
	*sheets = (struct sheets){.out = out, .format = format};
}

void sheets_begin(struct sheets *sheets, const struct sheet_spec *spec)
{
	if (sheets->n++ > 0 && sheets->format != SHEET_TABLE)
		fputc('\n', sheets->out);
	if (sheets->format == SHEET_MARKDOWN)
		fprintf(sheets->out, "**%s**\n\n", spec->title);
	sheet_open(&sheets->sheet, sheets->out, sheets->format, spec);
}

void sheets_row(struct sheets *sheets, const struct cell *cells)
{
	const int error = sheet_row(&sheets->sheet, cells);
	sheets->error = sheets->error ? sheets->error : error;
}

void sheets_end(struct sheets *sheets)
{
	sheet_close(&sheets->sheet);
}
