/* A timeline as CSV: a line with the names of the columns, then a line for each operation. */
#include "timeline/op_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 << 10, COLUMNS_MOST = 256, BUFFER_BYTES = 4 * LINE_BYTES };

struct csv {
	struct op_input *input;
	char *buffer;
	size_t at, end;
	int error; /* of the input */
	uint64_t line;
	bool has_columns;
	size_t n_columns;
	const struct op_field_name *columns[COLUMNS_MOST]; /* NULL: a column that is not read */
	struct op_rows *rows;
};

/* ---- lines ---- */

static bool more(struct csv *csv)
{
	if (csv->error)
		return false;
	memmove(csv->buffer, csv->buffer + csv->at, csv->end - csv->at);
	csv->end -= csv->at;
	csv->at = 0;
	ssize_t n = op_input_read(csv->input, csv->buffer + csv->end, BUFFER_BYTES - csv->end);
	if (n < 0)
		csv->error = (int)n;
	csv->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* 1: a line; 0: the end; or OP_REFUSED. What stands before damage without an end of line is
 * not whole. */
static int next_line(struct csv *csv, const char **line, size_t *bytes)
{
	const char *newline;
	csv->line++;
	while (!(newline = memchr(csv->buffer + csv->at, '\n', csv->end - csv->at))) {
		if (csv->end - csv->at > LINE_BYTES)
			return op_input_refuse(csv->input, csv->line, "the line is longer than 64 KiB");
		if (!more(csv))
			break;
	}
	*line = csv->buffer + csv->at;
	*bytes = newline ? (size_t)(newline - *line) : csv->end - csv->at;
	csv->at += *bytes + (newline != NULL);
	if (!newline && (csv->error || *bytes == 0))
		return 0;
	*bytes -= *bytes > 0 && (*line)[*bytes - 1] == '\r';
	return 1;
}

/* ---- cells ---- */

/* The cell at *at, without blanks and quotes around it; *at: after its comma, or NULL. */
static struct op_value take_cell(const char **at, const char *end)
{
	const char *from = *at, *to;
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	const char *quote = from < end && *from == '"' ? memchr(from + 1, '"', end - from - 1) : NULL;
	const char *comma = memchr(quote ? quote : from, ',', end - (quote ? quote : from));
	to = comma ? comma : end;
	*at = comma ? comma + 1 : NULL;
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	if (quote && to == quote + 1) {
		from++;
		to--;
	}
	return (struct op_value){from, (size_t)(to - from), NULL};
}

static int take_column(struct csv *csv, const struct op_value *cell)
{
	char what[OP_TROUBLE_BYTES];
	const struct op_field_name *name = op_field_find(cell->at, cell->bytes);
	if (csv->n_columns == COLUMNS_MOST)
		return op_input_refuse(csv->input, csv->line, "more than 256 columns");
	for (size_t i = 0; name && i < csv->n_columns; i++)
		if (csv->columns[i] && csv->columns[i]->field == name->field) {
			snprintf(what, sizeof(what), "columns '%s' and '%s' mean the same",
					 csv->columns[i]->name, name->name);
			return op_input_refuse(csv->input, csv->line, what);
		}
	csv->columns[csv->n_columns++] = name;
	return 0;
}

static int take_header(struct csv *csv, const char *line, size_t bytes)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, written by some editors */
	struct op_value here[FIELDS] = {0};
	char what[OP_TROUBLE_BYTES];
	const char *end = line + bytes;
	if (bytes >= 3 && memcmp(line, mark, 3) == 0)
		line += 3;
	for (const char *at = line; at;) {
		const struct op_value cell = take_cell(&at, end);
		int error = take_column(csv, &cell);
		if (error)
			return error;
	}
	for (size_t i = 0; i < csv->n_columns; i++)
		if (csv->columns[i])
			here[csv->columns[i]->field].name = csv->columns[i];
	csv->has_columns = true;
	const char *missing = op_fields_missing(here);
	if (!missing)
		return 0;
	snprintf(what, sizeof(what),
			 "no column %s; docs/STRAGGLERS.md lists the columns of the first line", missing);
	return op_input_refuse(csv->input, csv->line, what);
}

static int take_row(struct csv *csv, const char *line, size_t bytes)
{
	struct op_value values[FIELDS] = {0};
	char what[OP_TROUBLE_BYTES];
	struct op_row row;
	const char *end = line + bytes;
	size_t n = 0;
	for (const char *at = line; at; n++) {
		struct op_value cell = take_cell(&at, end);
		if (n >= csv->n_columns || !csv->columns[n])
			continue;
		cell.name = csv->columns[n];
		values[cell.name->field] = cell;
	}
	if (n != csv->n_columns) {
		snprintf(what, sizeof(what), "%zu cells, but the first line has %zu", n, csv->n_columns);
		return op_input_refuse(csv->input, csv->line, what);
	}
	if (!op_fields_read(values, &row, what))
		return op_input_refuse(csv->input, csv->line, what);
	return op_rows_add(csv->rows, &row);
}

static int take_line(struct csv *csv, const char *line, size_t bytes)
{
	if (bytes == 0 || *line == '#')
		return 0;
	return csv->has_columns ? take_row(csv, line, bytes) : take_header(csv, line, bytes);
}

int csv_ops_read(struct op_input *input, struct op_rows *rows)
{
	struct csv *csv = calloc(1, sizeof(*csv));
	if (!csv)
		return -ENOMEM;
	*csv = (struct csv){.input = input, .rows = rows, .buffer = malloc(BUFFER_BYTES)};
	const char *line = "";
	size_t bytes = 0;
	int result = csv->buffer ? 0 : -ENOMEM;
	while (!result && (result = next_line(csv, &line, &bytes)) == 1)
		result = take_line(csv, line, bytes);
	result = result ? result : csv->error;
	free(csv->buffer);
	free(csv);
	return result;
}
