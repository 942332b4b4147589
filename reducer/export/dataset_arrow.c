/* A file of Arrow's IPC format (Feather, version 2): a schema, a dictionary for each text column, one
 * batch of rows, a footer. Nothing is compressed, so that readers can map it. The numbers below are
 * those of Arrow's Message.fbs, Schema.fbs and File.fbs. */
#include "export/buffer.h"
#include "export/dataset.h"
#include "export/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_5 = 4, LITTLE_ENDIAN_HOST = 0 };
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_ROWS = 3 };
enum { TYPE_INT = 2, TYPE_UTF8 = 5 };

struct node { /* of a column */
	int64_t length, nulls;
};

struct piece { /* of a body */
	int64_t offset, length;
};

struct block { /* where a message lies in the file */
	int64_t offset;
	int32_t head_bytes, zero;
	int64_t body_bytes;
};
_Static_assert(sizeof(struct block) == 24, "a block of the footer");

struct arrow {
	const struct batch *batch;
	FILE *out;
	int64_t offset;
	struct buffer body;
	struct piece pieces[2 * DATASET_COLUMNS_MOST];
	size_t n_pieces;
	struct block dictionaries[DATASET_COLUMNS_MOST], rows;
	size_t n_dictionaries;
};

static int put(struct arrow *a, const void *at, size_t n)
{
	if (n && fwrite(at, 1, n, a->out) != n)
		return errno ? -errno : -EIO;
	a->offset += (int64_t)n;
	return 0;
}

/* ---- bodies ---- */

static void begin_body(struct arrow *a)
{
	a->body.n = 0;
	a->n_pieces = 0;
}

/* What was put into the body from `from` on is a piece of it. */
static void end_piece(struct arrow *a, size_t from)
{
	a->pieces[a->n_pieces++] = (struct piece){(int64_t)from, (int64_t)(a->body.n - from)};
	buffer_align(&a->body, 8);
}

/* A bit for each row that has a value; nothing when all have one. */
static void put_known(struct arrow *a, const struct batch_column *column)
{
	const size_t from = a->body.n, rows = a->batch->rows;
	for (size_t i = 0; column->n_null && i < rows; i += 8) {
		unsigned bits = 0;
		for (size_t k = i; k < rows && k < i + 8; k++)
			bits |= (unsigned)column->known[k] << (k - i);
		buffer_number(&a->body, bits, 1);
	}
	end_piece(a, from);
}

static void put_column(struct arrow *a, unsigned c)
{
	const struct batch_column *column = &a->batch->columns[c];
	const size_t bytes = a->batch->table->columns[c].type == DATASET_INT64 ? 8 : 4;
	put_known(a, column);
	const size_t from = a->body.n;
	for (size_t i = 0; i < a->batch->rows; i++)
		buffer_number(&a->body, (uint64_t)column->values[i], bytes);
	end_piece(a, from);
}

static int put_texts(struct arrow *a, const struct strings *texts)
{
	struct buffer all = {0};
	int error = 0;
	begin_body(a);
	end_piece(a, 0);
	for (uint32_t i = 0; !error && i < texts->n; i++) {
		size_t bytes;
		char *text = batch_text(strings_get(texts, i), &bytes);
		buffer_number(&a->body, all.n, 4);
		if (text)
			buffer_put(&all, text, bytes);
		error = !text ? -ENOMEM : all.n > INT32_MAX ? -EFBIG : all.error;
		free(text);
	}
	buffer_number(&a->body, all.n, 4);
	end_piece(a, 0);
	const size_t from = a->body.n;
	buffer_put(&a->body, all.at, all.n);
	end_piece(a, from);
	free(all.at);
	return error ? error : a->body.error;
}

/* ---- metadata ---- */

static uint32_t integer(struct flat *f, int bits)
{
	flat_table(f);
	flat_number(f, 0, bits, 4);
	flat_number(f, 1, true, 1);
	return flat_table_end(f);
}

static uint32_t dictionary_of(struct flat *f, unsigned c)
{
	const uint32_t index = integer(f, 32);
	flat_table(f);
	flat_number(f, 0, c, 8);
	flat_place(f, 1, index);
	return flat_table_end(f);
}

static uint32_t field(struct flat *f, const struct dataset_column *column, unsigned c)
{
	const bool text = column->type == DATASET_TEXT;
	const uint32_t name = flat_text(f, column->name);
	const uint32_t children = flat_places(f, NULL, 0);
	const uint32_t dictionary = text ? dictionary_of(f, c) : 0;
	uint32_t type;
	if (text) {
		flat_table(f);
		type = flat_table_end(f);
	} else {
		type = integer(f, column->type == DATASET_INT32 ? 32 : 64);
	}
	flat_table(f);
	flat_place(f, 0, name);
	flat_place(f, 3, type);
	flat_place(f, 5, children);
	if (text)
		flat_place(f, 4, dictionary);
	flat_number(f, 1, true, 1);
	flat_number(f, 2, text ? TYPE_UTF8 : TYPE_INT, 1);
	return flat_table_end(f);
}

static uint32_t schema(struct flat *f, const struct batch *batch)
{
	const struct dataset_table *table = batch->table;
	uint32_t fields[DATASET_COLUMNS_MOST];
	for (unsigned c = batch->first; c < table->n_columns; c++)
		fields[c - batch->first] = field(f, &table->columns[c], c);
	const uint32_t list = flat_places(f, fields, table->n_columns - batch->first);
	flat_table(f);
	flat_place(f, 1, list);
	flat_number(f, 0, LITTLE_ENDIAN_HOST, 2);
	return flat_table_end(f);
}

/* The body at hand. */
static uint32_t described_body(struct flat *f, const struct arrow *a, const struct node *nodes,
							   size_t n)
{
	const uint32_t pieces = flat_structs(f, a->pieces, a->n_pieces, sizeof(*a->pieces));
	const uint32_t columns = flat_structs(f, nodes, n, sizeof(*nodes));
	flat_table(f);
	flat_number(f, 0, n ? nodes[0].length : 0, 8);
	flat_place(f, 1, columns);
	flat_place(f, 2, pieces);
	return flat_table_end(f);
}

/* Writes a message and the body at hand; *block: where. Frees `f`. */
static int put_message(struct arrow *a, struct flat *f, int type, uint32_t header,
					   struct block *block)
{
	const uint32_t continues = UINT32_MAX;
	flat_table(f);
	flat_number(f, 3, (int64_t)a->body.n, 8);
	flat_place(f, 2, header);
	flat_number(f, 0, VERSION_5, 2);
	flat_number(f, 1, type, 1);
	flat_finish(f, flat_table_end(f));
	const uint32_t bytes = (uint32_t)f->n;
	*block = (struct block){a->offset, (int32_t)bytes + 8, 0, (int64_t)a->body.n};
	int error = f->error ? f->error : a->body.error;
	if (!error)
		error = put(a, &continues, 4);
	if (!error)
		error = put(a, &bytes, 4);
	if (!error)
		error = put(a, flat_bytes(f), f->n);
	if (!error)
		error = put(a, a->body.at, a->body.n);
	free(f->at);
	return error;
}

static int put_schema(struct arrow *a)
{
	struct flat f = {0};
	struct block block;
	begin_body(a);
	const uint32_t header = schema(&f, a->batch);
	return put_message(a, &f, HEADER_SCHEMA, header, &block);
}

static int put_dictionary(struct arrow *a, unsigned c)
{
	const struct strings *texts = &a->batch->columns[c].texts;
	const struct node node = {texts->n, 0};
	struct flat f = {0};
	const int error = put_texts(a, texts);
	if (error)
		return error;
	const uint32_t body = described_body(&f, a, &node, 1);
	flat_table(&f);
	flat_number(&f, 0, c, 8);
	flat_place(&f, 1, body);
	const uint32_t header = flat_table_end(&f);
	return put_message(a, &f, HEADER_DICTIONARY, header, &a->dictionaries[a->n_dictionaries++]);
}

static int put_rows(struct arrow *a)
{
	struct node nodes[DATASET_COLUMNS_MOST];
	struct flat f = {0};
	size_t n = 0;
	begin_body(a);
	for (unsigned c = a->batch->first; c < a->batch->table->n_columns; c++) {
		nodes[n++] = (struct node){(int64_t)a->batch->rows, (int64_t)a->batch->columns[c].n_null};
		put_column(a, c);
	}
	const uint32_t header = described_body(&f, a, nodes, n);
	return put_message(a, &f, HEADER_ROWS, header, &a->rows);
}

static int put_footer(struct arrow *a)
{
	static const uint32_t end[2] = {UINT32_MAX, 0};
	struct flat f = {0};
	const uint32_t rows = flat_structs(&f, &a->rows, 1, sizeof(a->rows));
	const uint32_t dictionaries =
		flat_structs(&f, a->dictionaries, a->n_dictionaries, sizeof(*a->dictionaries));
	const uint32_t of = schema(&f, a->batch);
	flat_table(&f);
	flat_place(&f, 1, of);
	flat_place(&f, 2, dictionaries);
	flat_place(&f, 3, rows);
	flat_number(&f, 0, VERSION_5, 2);
	flat_finish(&f, flat_table_end(&f));
	const uint32_t bytes = (uint32_t)f.n;
	int error = f.error ? f.error : put(a, end, sizeof(end));
	if (!error)
		error = put(a, flat_bytes(&f), f.n);
	if (!error)
		error = put(a, &bytes, 4);
	free(f.at);
	return error ? error : put(a, "ARROW1", 6);
}

static int write_arrow(const struct batch *batch, FILE *out)
{
	struct arrow a = {.batch = batch, .out = out};
	int error = put(&a, "ARROW1\0\0", 8);
	if (!error)
		error = put_schema(&a);
	for (unsigned c = batch->first; !error && c < batch->table->n_columns; c++)
		if (batch->table->columns[c].type == DATASET_TEXT)
			error = put_dictionary(&a, c);
	if (!error)
		error = put_rows(&a);
	if (!error)
		error = put_footer(&a);
	free(a.body.at);
	return error;
}

const struct dataset_form dataset_arrow = {"arrow", "arrow", write_arrow};
