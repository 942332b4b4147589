/* A CSV file (RFC 4180). Texts are those of render/csv.h, so a spreadsheet runs none of them; what is
 * not known is an empty cell. */
#include "export/dataset.h"

#include "render/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void free_cells(char **cells, uint32_t n)
{
	for (uint32_t i = 0; cells && i < n; i++)
		free(cells[i]);
	free(cells);
}

/* A text as its cell, to be freed. NULL: no memory. */
static char *make_cell(const char *text)
{
	char *cell = NULL;
	size_t bytes;
	FILE *out = open_memstream(&cell, &bytes);
	if (!out)
		return NULL;
	csv_text(text, out);
	if (fclose(out) == 0)
		return cell;
	free(cell);
	return NULL;
}

/* Each distinct text of a column as its cell. NULL: no memory. */
static char **make_cells(const struct strings *texts)
{
	char **cells = calloc(texts->n, sizeof(*cells));
	for (uint32_t i = 0; cells && i < texts->n; i++) {
		cells[i] = make_cell(strings_get(texts, i).at);
		if (cells[i])
			continue;
		free_cells(cells, texts->n);
		return NULL;
	}
	return cells;
}

static void put_cell(const struct batch *batch, unsigned c, size_t row, char **cells, FILE *out)
{
	const struct batch_column *column = &batch->columns[c];
	if (!column->known[row])
		return;
	if (!cells)
		fprintf(out, "%" PRId64, column->values[row]);
	else
		fputs(cells[column->values[row]], out);
}

static void put_rows(const struct batch *batch, char ***cells, FILE *out)
{
	const struct dataset_table *table = batch->table;
	for (unsigned c = batch->first; c < table->n_columns; c++)
		fprintf(out, "%s%s", table->columns[c].name, c + 1 < table->n_columns ? "," : "\n");
	for (size_t row = 0; row < batch->rows; row++)
		for (unsigned c = batch->first; c < table->n_columns; c++) {
			put_cell(batch, c, row, cells[c], out);
			fputs(c + 1 < table->n_columns ? "," : "\n", out);
		}
}

static int write_csv(const struct batch *batch, FILE *out)
{
	char **cells[DATASET_COLUMNS_MOST] = {0};
	int error = 0;
	for (unsigned c = batch->first; !error && c < batch->table->n_columns; c++)
		if (batch->table->columns[c].type == DATASET_TEXT) {
			cells[c] = make_cells(&batch->columns[c].texts);
			error = cells[c] ? 0 : -ENOMEM;
		}
	if (!error)
		put_rows(batch, cells, out);
	for (unsigned c = 0; c < batch->table->n_columns; c++)
		free_cells(cells[c], batch->columns[c].texts.n);
	return error;
}

const struct dataset_form dataset_csv = {"csv", "csv", write_csv};
