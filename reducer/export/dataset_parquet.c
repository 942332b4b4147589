/* A Parquet file with one row group. Every column has one data page (version 1); a text column has a
 * dictionary page before it. Pages are compressed by zstd. The numbers below are those of Apache
 * Parquet's parquet.thrift. */
#include "export/dataset.h"
#include "export/thrift.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 3 };
enum { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { OPTIONAL = 1, CONVERTED_UTF8 = 0, CODEC_ZSTD = 6 };
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };

struct chunk {                /* of a column, in the file */
	int64_t dictionary, data; /* offsets; dictionary -1: none */
	int64_t plain_bytes, stored_bytes;
	bool ranged;
	int64_t least, most; /* of an integer column */
};

struct parquet {
	const struct batch *batch;
	FILE *out;
	ZSTD_CCtx *zstd;
	struct buffer body, stored; /* of the page at hand */
	struct chunk chunks[DATASET_COLUMNS_MOST];
	int64_t offset;
};

static int physical_type(enum dataset_type type)
{
	static const int types[] = {[DATASET_INT32] = TYPE_INT32,
								[DATASET_INT64] = TYPE_INT64,
								[DATASET_TEXT] = TYPE_BYTE_ARRAY};
	return types[type];
}

static int put(struct parquet *p, const void *at, size_t n)
{
	if (n && fwrite(at, 1, n, p->out) != n)
		return errno ? -errno : -EIO;
	p->offset += (int64_t)n;
	return 0;
}

/* ---- values ---- */

static unsigned bits_of(uint64_t most)
{
	unsigned bits = 0;
	for (; most; most >>= 1)
		bits++;
	return bits;
}

/* Values below 2^bits as one packed run, which ends at a multiple of eight. */
static void put_packed(struct buffer *out, const int64_t *values, size_t n, unsigned bits)
{
	uint64_t held = 0;
	unsigned n_held = 0;
	const size_t padded = (n + 7) / 8 * 8;
	buffer_varint(out, padded / 8 << 1 | 1);
	for (size_t i = 0; i < padded; i++) {
		held |= (i < n ? (uint64_t)values[i] : 0) << n_held;
		for (n_held += bits; n_held >= 8; n_held -= 8, held >>= 8)
			buffer_number(out, held, 1);
	}
}

/* The same as runs of equal values. */
static void put_runs(struct buffer *out, const int64_t *values, size_t n, unsigned bits)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && values[end] == values[i]; end++)
			;
		buffer_varint(out, (uint64_t)(end - i) << 1);
		buffer_number(out, (uint64_t)values[i], (bits + 7) / 8);
	}
}

/* In the shorter of both ways. */
static void put_hybrid(struct buffer *out, const int64_t *values, size_t n, unsigned bits)
{
	size_t runs = n > 0;
	for (size_t i = 1; i < n; i++)
		runs += values[i] != values[i - 1];
	if (runs * (2 + (bits + 7) / 8) * 8 < n * bits)
		put_runs(out, values, n, bits);
	else
		put_packed(out, values, n, bits);
}

/* Which rows have a value: 1 or 0 each. */
static void put_levels(struct buffer *out, const struct batch_column *column, size_t rows)
{
	struct buffer levels = {0};
	for (size_t i = 0, end; i < rows; i = end) {
		for (end = i + 1; end < rows && column->known[end] == column->known[i]; end++)
			;
		buffer_varint(&levels, (uint64_t)(end - i) << 1);
		buffer_number(&levels, column->known[i], 1);
	}
	buffer_number(out, levels.n, 4);
	buffer_put(out, levels.at, levels.n);
	out->error = out->error ? out->error : levels.error;
	free(levels.at);
}

/* The values that are not null, together. NULL: no memory. */
static int64_t *gather(const struct batch_column *column, size_t rows, size_t *n)
{
	int64_t *values = malloc((rows + 1) * sizeof(*values));
	*n = 0;
	for (size_t i = 0; values && i < rows; i++)
		if (column->known[i])
			values[(*n)++] = column->values[i];
	return values;
}

static void put_integers(struct buffer *out, const int64_t *values, size_t n, size_t bytes,
						 struct chunk *chunk)
{
	for (size_t i = 0; i < n; i++) {
		buffer_number(out, (uint64_t)values[i], bytes);
		chunk->least = i == 0 || values[i] < chunk->least ? values[i] : chunk->least;
		chunk->most = i == 0 || values[i] > chunk->most ? values[i] : chunk->most;
	}
	chunk->ranged = n > 0;
}

static void put_numbers_of_texts(struct buffer *out, const int64_t *values, size_t n,
								 uint32_t n_texts)
{
	const unsigned bits = bits_of(n_texts - 1);
	buffer_number(out, bits ? bits : 1, 1);
	put_hybrid(out, values, n, bits ? bits : 1);
}

/* ---- pages ---- */

static void head_page(struct thrift *t, int type, const struct parquet *p, size_t values)
{
	thrift_begin(t);
	thrift_int(t, 1, THRIFT_I32, type);
	thrift_int(t, 2, THRIFT_I32, (int64_t)p->body.n);
	thrift_int(t, 3, THRIFT_I32, (int64_t)p->stored.n);
	thrift_struct(t, type == DATA_PAGE ? 5 : 7);
	thrift_int(t, 1, THRIFT_I32, (int64_t)values);
}

static int compress(struct parquet *p)
{
	const size_t room = ZSTD_compressBound(p->body.n);
	p->stored.n = 0;
	if (p->body.n > INT32_MAX || room > INT32_MAX)
		return -EFBIG;
	while (p->stored.room < room) {
		uint8_t *larger = realloc(p->stored.at, room);
		if (!larger)
			return -ENOMEM;
		p->stored.at = larger;
		p->stored.room = room;
	}
	p->stored.n = ZSTD_compressCCtx(p->zstd, p->stored.at, room, p->body.at, p->body.n, ZSTD_LEVEL);
	return ZSTD_isError(p->stored.n) ? -ENOMEM : 0;
}

/* Writes the page whose header begins at `t`, and counts it. */
static int put_page(struct parquet *p, struct thrift *t, struct chunk *chunk)
{
	thrift_end(t);
	thrift_end(t);
	int error = t->out.error ? t->out.error : put(p, t->out.at, t->out.n);
	if (!error)
		error = put(p, p->stored.at, p->stored.n);
	chunk->plain_bytes += (int64_t)(t->out.n + p->body.n);
	chunk->stored_bytes += (int64_t)(t->out.n + p->stored.n);
	free(t->out.at);
	return error;
}

static int put_dictionary(struct parquet *p, const struct strings *texts, struct chunk *chunk)
{
	struct thrift t = {0};
	p->body.n = 0;
	chunk->dictionary = p->offset;
	for (uint32_t i = 0; i < texts->n; i++) {
		size_t n;
		char *text = batch_text(strings_get(texts, i), &n);
		if (!text)
			return -ENOMEM;
		buffer_number(&p->body, n, 4);
		buffer_put(&p->body, text, n);
		free(text);
	}
	const int error = p->body.error ? p->body.error : compress(p);
	if (error)
		return error;
	head_page(&t, DICTIONARY_PAGE, p, texts->n);
	thrift_int(&t, 2, THRIFT_I32, PLAIN);
	return put_page(p, &t, chunk);
}

static int put_data(struct parquet *p, const struct batch_column *column, enum dataset_type type,
					struct chunk *chunk)
{
	struct thrift t = {0};
	size_t n;
	int64_t *values = gather(column, p->batch->rows, &n);
	if (!values)
		return -ENOMEM;
	p->body.n = 0;
	chunk->data = p->offset;
	put_levels(&p->body, column, p->batch->rows);
	if (type == DATASET_TEXT)
		put_numbers_of_texts(&p->body, values, n, column->texts.n);
	else
		put_integers(&p->body, values, n, type == DATASET_INT32 ? 4 : 8, chunk);
	free(values);
	const int error = p->body.error ? p->body.error : compress(p);
	if (error)
		return error;
	head_page(&t, DATA_PAGE, p, p->batch->rows);
	thrift_int(&t, 2, THRIFT_I32, type == DATASET_TEXT ? RLE_DICTIONARY : PLAIN);
	thrift_int(&t, 3, THRIFT_I32, RLE);
	thrift_int(&t, 4, THRIFT_I32, RLE);
	return put_page(p, &t, chunk);
}

static int put_column(struct parquet *p, unsigned c)
{
	const enum dataset_type type = p->batch->table->columns[c].type;
	const struct batch_column *column = &p->batch->columns[c];
	struct chunk *chunk = &p->chunks[c];
	chunk->dictionary = -1;
	const int error = type == DATASET_TEXT ? put_dictionary(p, &column->texts, chunk) : 0;
	return error ? error : put_data(p, column, type, chunk);
}

/* ---- the footer ---- */

static void say_schema(struct thrift *t, const struct batch *batch)
{
	const struct dataset_table *table = batch->table;
	thrift_list(t, 2, THRIFT_STRUCT, 1 + table->n_columns - batch->first);
	thrift_begin(t);
	thrift_binary(t, 4, table->name, strlen(table->name));
	thrift_int(t, 5, THRIFT_I32, table->n_columns - batch->first);
	thrift_end(t);
	for (unsigned c = batch->first; c < table->n_columns; c++) {
		const struct dataset_column *column = &table->columns[c];
		thrift_begin(t);
		thrift_int(t, 1, THRIFT_I32, physical_type(column->type));
		thrift_int(t, 3, THRIFT_I32, OPTIONAL);
		thrift_binary(t, 4, column->name, strlen(column->name));
		if (column->type == DATASET_TEXT) {
			thrift_int(t, 6, THRIFT_I32, CONVERTED_UTF8);
			thrift_struct(t, 10); /* LogicalType: */
			thrift_struct(t, 1);  /* StringType */
			thrift_end(t);
			thrift_end(t);
		}
		thrift_end(t);
	}
}

static void say_statistics(struct thrift *t, const struct parquet *p, unsigned c)
{
	const struct chunk *chunk = &p->chunks[c];
	const size_t bytes = p->batch->table->columns[c].type == DATASET_INT32 ? 4 : 8;
	thrift_struct(t, 12);
	thrift_int(t, 3, THRIFT_I64, (int64_t)p->batch->columns[c].n_null);
	if (chunk->ranged) { /* little-endian, as this machine is */
		thrift_binary(t, 5, &chunk->most, bytes);
		thrift_binary(t, 6, &chunk->least, bytes);
	}
	thrift_end(t);
}

static void say_chunk(struct thrift *t, const struct parquet *p, unsigned c)
{
	const struct dataset_column *column = &p->batch->table->columns[c];
	const struct chunk *chunk = &p->chunks[c];
	const bool text = column->type == DATASET_TEXT;
	thrift_begin(t);
	thrift_int(t, 2, THRIFT_I64, text ? chunk->dictionary : chunk->data);
	thrift_struct(t, 3);
	thrift_int(t, 1, THRIFT_I32, physical_type(column->type));
	thrift_list(t, 2, THRIFT_I32, text ? 3 : 2);
	thrift_element_int(t, PLAIN);
	thrift_element_int(t, RLE);
	if (text)
		thrift_element_int(t, RLE_DICTIONARY);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_element_binary(t, column->name, strlen(column->name));
	thrift_int(t, 4, THRIFT_I32, CODEC_ZSTD);
	thrift_int(t, 5, THRIFT_I64, (int64_t)p->batch->rows);
	thrift_int(t, 6, THRIFT_I64, chunk->plain_bytes);
	thrift_int(t, 7, THRIFT_I64, chunk->stored_bytes);
	thrift_int(t, 9, THRIFT_I64, chunk->data);
	if (text)
		thrift_int(t, 11, THRIFT_I64, chunk->dictionary);
	say_statistics(t, p, c);
	thrift_end(t);
	thrift_end(t);
}

static void say_rows(struct thrift *t, const struct parquet *p)
{
	const struct batch *batch = p->batch;
	int64_t plain = 0, stored = 0;
	thrift_list(t, 4, THRIFT_STRUCT, 1);
	thrift_begin(t);
	thrift_list(t, 1, THRIFT_STRUCT, batch->table->n_columns - batch->first);
	for (unsigned c = batch->first; c < batch->table->n_columns; c++) {
		plain += p->chunks[c].plain_bytes;
		stored += p->chunks[c].stored_bytes;
		say_chunk(t, p, c);
	}
	thrift_int(t, 2, THRIFT_I64, plain);
	thrift_int(t, 3, THRIFT_I64, (int64_t)batch->rows);
	thrift_int(t, 5, THRIFT_I64, 4); /* after the magic number */
	thrift_int(t, 6, THRIFT_I64, stored);
	thrift_end(t);
}

static int put_footer(struct parquet *p)
{
	static const char by[] = "baton";
	const unsigned n = p->batch->table->n_columns - p->batch->first;
	struct thrift t = {0};
	thrift_begin(&t);
	thrift_int(&t, 1, THRIFT_I32, 2);
	say_schema(&t, p->batch);
	thrift_int(&t, 3, THRIFT_I64, (int64_t)p->batch->rows);
	say_rows(&t, p);
	thrift_binary(&t, 6, by, strlen(by));
	thrift_list(&t, 7, THRIFT_STRUCT, n); /* values are ordered as their type says */
	for (unsigned i = 0; i < n; i++) {
		thrift_begin(&t);
		thrift_struct(&t, 1);
		thrift_end(&t);
		thrift_end(&t);
	}
	thrift_end(&t);
	const size_t bytes = t.out.n;
	buffer_number(&t.out, bytes, 4);
	buffer_put(&t.out, "PAR1", 4);
	const int error = t.out.error ? t.out.error : put(p, t.out.at, t.out.n);
	free(t.out.at);
	return error;
}

static int write_parquet(const struct batch *batch, FILE *out)
{
	struct parquet p = {.batch = batch, .out = out, .zstd = ZSTD_createCCtx()};
	int error = p.zstd ? put(&p, "PAR1", 4) : -ENOMEM;
	for (unsigned c = batch->first; !error && c < batch->table->n_columns; c++)
		error = put_column(&p, c);
	if (!error)
		error = put_footer(&p);
	ZSTD_freeCCtx(p.zstd);
	free(p.body.at);
	free(p.stored.at);
	return error;
}

const struct dataset_form dataset_parquet = {"parquet", "parquet", write_parquet};
