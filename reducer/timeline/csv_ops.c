/* A timeline as CSV: a line with the names of the columns, then a line for each operation. */
#include "import/csv_lines.h"
#include "timeline/op_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 << 10, COLUMNS_MOST = 256 };

struct csv {
	struct op_input *input;
	struct csv_lines lines;
	bool has_columns;
	size_t n_columns;
	const struct op_field_name *columns[COLUMNS_MOST]; /* NULL: a column that is not read */
	struct op_rows *rows;
};

static ssize_t read_input(void *context, void *buffer, size_t room)
{
	return op_input_read(context, buffer, room);
}

static struct op_value take_cell(const char **at, const char *end)
{
	const struct csv_cell cell = csv_cell_next(at, end);
	return (struct op_value){cell.at, cell.bytes, NULL};
}

static int take_column(struct csv *csv, const struct op_value *cell)
{
	char what[OP_TROUBLE_BYTES];
	const struct op_field_name *name = op_field_find(cell->at, cell->bytes);
	if (csv->n_columns == COLUMNS_MOST)
		return op_input_refuse(csv->input, csv->lines.number, "more than 256 columns");
	for (size_t i = 0; name && i < csv->n_columns; i++)
		if (csv->columns[i] && csv->columns[i]->field == name->field) {
			snprintf(what, sizeof(what), "columns '%s' and '%s' mean the same",
					 csv->columns[i]->name, name->name);
			return op_input_refuse(csv->input, csv->lines.number, what);
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
	return op_input_refuse(csv->input, csv->lines.number, what);
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
		return op_input_refuse(csv->input, csv->lines.number, what);
	}
	if (!op_fields_read(values, &row, what))
		return op_input_refuse(csv->input, csv->lines.number, what);
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
	*csv = (struct csv){.input = input,
						.rows = rows,
						.lines = {.read = read_input, .context = input, .most = LINE_BYTES}};
	const char *line = "";
	size_t bytes = 0;
	int result = csv_lines_open(&csv->lines);
	while (!result && (result = csv_lines_next(&csv->lines, &line, &bytes)) == 1)
		result = take_line(csv, line, bytes);
	if (result == -EMSGSIZE)
		result = op_input_refuse(input, csv->lines.number, "the line is longer than 64 KiB");
	result = result ? result : csv->lines.error;
	csv_lines_close(&csv->lines);
	free(csv);
	return result;
}
