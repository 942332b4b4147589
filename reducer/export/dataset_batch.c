#include "export/dataset_batch.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64 };

int batch_open(struct batch *batch, const struct dataset_table *table, unsigned first)
{
	int error = 0;
	memset(batch, 0, sizeof(*batch));
	batch->table = table;
	batch->first = first;
	for (unsigned c = 0; !error && c < table->n_columns; c++)
		if (table->columns[c].type == DATASET_TEXT)
			error = strings_init(&batch->columns[c].texts);
	return error;
}

static int grow(struct batch *batch)
{
	const size_t room = batch->room ? 2 * batch->room : LEAST_ROOM;
	for (unsigned c = 0; c < batch->table->n_columns; c++) {
		struct batch_column *column = &batch->columns[c];
		int64_t *values = realloc(column->values, room * sizeof(*values));
		if (!values)
			return -ENOMEM;
		column->values = values;
		uint8_t *known = realloc(column->known, room);
		if (!known)
			return -ENOMEM;
		column->known = known;
	}
	batch->room = room;
	return 0;
}

static bool fits(enum dataset_type type, int64_t value)
{
	return type != DATASET_INT32 || (value >= INT32_MIN && value <= INT32_MAX);
}

int batch_add(struct batch *batch, const struct cell *row)
{
	if (batch->rows == batch->room && grow(batch) != 0)
		return -ENOMEM;
	for (unsigned c = 0; c < batch->table->n_columns; c++) {
		struct batch_column *column = &batch->columns[c];
		const struct cell *cell = &row[c];
		uint32_t id;
		int is_new;
		const enum dataset_type type = batch->table->columns[c].type;
		const bool known = cell->known && fits(type, cell->value);
		column->known[batch->rows] = known;
		column->n_null += !known;
		column->values[batch->rows] = known ? cell->value : 0;
		if (!known || type != DATASET_TEXT)
			continue;
		if (strings_add(&column->texts, cell->text, strlen(cell->text), &id, &is_new) != 0)
			return -ENOMEM;
		column->values[batch->rows] = id;
		batch->text_bytes += is_new ? strlen(cell->text) : 0;
	}
	batch->rows++;
	return 0;
}

void batch_close(struct batch *batch)
{
	for (unsigned c = 0; batch->table && c < batch->table->n_columns; c++) {
		free(batch->columns[c].values);
		free(batch->columns[c].known);
		strings_free(&batch->columns[c].texts);
	}
	memset(batch, 0, sizeof(*batch));
}

char *batch_text(struct text text, size_t *bytes)
{
	char *copy = malloc(3 * (size_t)text.bytes + 1);
	size_t n = 0;
	for (size_t at = 0; copy && at < text.bytes;) {
		uint32_t code;
		const size_t good = utf8_decode(text.at + at, text.bytes - at, &code);
		memcpy(copy + n, good ? text.at + at : "\xef\xbf\xbd", good ? good : 3);
		n += good ? good : 3;
		at += good ? good : 1;
	}
	if (copy)
		copy[n] = 0;
	*bytes = n;
	return copy;
}
