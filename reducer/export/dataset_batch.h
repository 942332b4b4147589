/* Rows of one table on their way to a file, column by column. Texts are numbered as they come, which
 * is the file's dictionary. */
#ifndef EXPORT_DATASET_BATCH_H
#define EXPORT_DATASET_BATCH_H

#include "base/strings.h"
#include "export/dataset_schema.h"

enum { BATCH_ROWS_MOST = 1 << 17, BATCH_TEXT_MOST = 16 << 20 };

struct cell { /* zeros: null */
	bool known;
	int64_t value;
	const char *text; /* of a text column */
};

static inline struct cell cell_int(int64_t value)
{
	return (struct cell){.known = true, .value = value};
}

static inline struct cell cell_text(const char *text) /* NULL: null */
{
	return (struct cell){.known = text != NULL, .text = text};
}

/* An unsigned value; null where it is `none`, or has no room in a signed 64-bit column. */
static inline struct cell cell_unsigned(uint64_t value, uint64_t none)
{
	return value == none || value > INT64_MAX ? (struct cell){0} : cell_int((int64_t)value);
}

struct batch_column {
	int64_t *values; /* of a text: its number in `texts`; 0 where it is not known */
	uint8_t *known;  /* 1 or 0 */
	size_t n_null;
	struct strings texts;
};

struct batch {
	const struct dataset_table *table;
	unsigned first; /* columns before this one stand in the directory's name */
	size_t rows, room;
	size_t text_bytes; /* of all texts */
	struct batch_column columns[DATASET_COLUMNS_MOST];
};

/* 0 or -ENOMEM; close it in any case. */
int batch_open(struct batch *batch, const struct dataset_table *table, unsigned first);
/* Adds a row: a cell for each column of the table. A value without room in a 32-bit column is null.
 * 0 or -ENOMEM. */
int batch_add(struct batch *batch, const struct cell *row);
void batch_close(struct batch *batch);

/* A copy of a text in which each byte that is no UTF-8 is U+FFFD, for free(). NULL: no memory. */
char *batch_text(struct text text, size_t *bytes);

#endif
