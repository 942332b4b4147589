/* Writes a file of the format: puts rows and records into blocks, and blocks into the file. */
#include <baton/writer.h>

#include <baton/columns.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { SMALL_BLOCK_BYTES = 8192 }; /* below, a frame for each part costs more than it wins */

static int writer_hold(struct baton_writer *w, const void *data, size_t bytes)
{
	if (w->held_bytes + bytes > w->held_room) {
		size_t room = (w->held_bytes + bytes) / 4 * 5;
		uint8_t *held = realloc(w->held, room);
		if (!held)
			return w->error = -ENOMEM;
		w->held = held;
		w->held_room = room;
	}
	memcpy(w->held + w->held_bytes, data, bytes);
	w->held_bytes += bytes;
	w->bytes += bytes;
	return 0;
}

int baton_writer_put(struct baton_writer *w, const void *data, size_t bytes)
{
	const uint8_t *at = data;
	if (w->hold && !w->error)
		return writer_hold(w, data, bytes);
	while (bytes > 0 && !w->error) {
		ssize_t n = write(w->fd, at, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			w->error = n < 0 ? -errno : -EIO;
			break;
		}
		at += n;
		bytes -= (size_t)n;
		w->bytes += (uint64_t)n;
	}
	return w->error;
}

/* Compresses the payload in w->raw as one frame. Returns its bytes in w->stored, 0 when it does not
 * get smaller. */
static size_t writer_pack(struct baton_writer *w, size_t raw_bytes)
{
	if (raw_bytes <= 64)
		return 0;
	const size_t packed =
		ZSTD_compressCCtx(w->zstd, w->stored, w->stored_room, w->raw, raw_bytes, w->level);
	return ZSTD_isError(packed) || packed >= raw_bytes ? 0 : packed;
}

/* The same with its parts each by itself. */
static size_t writer_pack_parts(struct baton_writer *w, const struct baton_parts *parts)
{
	uint8_t *sizes = w->stored + 4, *out = sizes + 8 * (size_t)parts->n;
	uint32_t from = 0;
	memcpy(w->stored, &parts->n, 4);
	for (uint32_t i = 0; i < parts->n; i++, sizes += 8) {
		const uint32_t raw = parts->at[i].end - from;
		size_t packed = 0;
		if (parts->at[i].packed && raw > 64)
			packed = ZSTD_compressCCtx(w->zstd, out, raw - 1, w->raw + from, raw, w->level);
		if (packed == 0 || ZSTD_isError(packed)) { /* it does not get smaller */
			memcpy(out, w->raw + from, raw);
			packed = raw;
		}
		const uint32_t size[2] = {(uint32_t)packed, raw};
		memcpy(sizes, size, sizeof(size));
		out += packed;
		from = parts->at[i].end;
	}
	return (size_t)(out - w->stored);
}

/* Completes the header and appends the block, whose payload is `packed` bytes of w->stored, or what
 * is in w->raw when `packed` is 0. */
static int writer_append(struct baton_writer *w, struct baton_block_header *header,
						 enum baton_compression compression, size_t packed)
{
	static const uint8_t padding[8];
	const uint8_t *payload = packed ? w->stored : w->raw;
	header->stored_bytes = packed ? (uint32_t)packed : header->raw_bytes;
	header->compression = packed ? compression : BATON_STORED;
	header->magic = BATON_BLOCK_MAGIC;
	header->sequence = w->sequence++;
	header->payload_hash = XXH3_64bits(payload, header->stored_bytes);
	header->header_hash = XXH3_64bits(header, offsetof(struct baton_block_header, header_hash));
	baton_writer_put(w, header, sizeof(*header));
	baton_writer_put(w, payload, header->stored_bytes);
	return baton_writer_put(w, padding, -(size_t)header->stored_bytes & 7);
}

int baton_writer_seal(struct baton_writer *w, struct baton_block_header *header)
{
	return writer_append(w, header, BATON_ZSTD, writer_pack(w, header->raw_bytes));
}

int baton_writer_flush_records(struct baton_writer *w)
{
	if (w->n_records == 0 || w->error)
		return w->error;
	struct baton_block_header header = {
		.kind = BATON_RECORDS, .rows = w->n_records, .raw_bytes = w->records_bytes};
	memcpy(w->raw, w->records, w->records_bytes);
	w->n_records = 0;
	w->records_bytes = 0;
	return baton_writer_seal(w, &header);
}

int baton_writer_record(struct baton_writer *w, uint16_t type, void *head, size_t head_bytes,
						const void *text, size_t text_bytes)
{
	size_t size = (head_bytes + text_bytes + 7) & ~(size_t)7;
	if (size > BATON_RECORD_BYTES)
		return -EMSGSIZE;
	if (w->records_bytes + size > BATON_RECORD_BYTES)
		baton_writer_flush_records(w);
	struct baton_record *record = head;
	record->type = type;
	record->zero = 0;
	record->size = (uint32_t)size;
	uint8_t *at = w->records + w->records_bytes;
	memset(at, 0, size);
	memcpy(at, head, head_bytes);
	if (text_bytes)
		memcpy(at + head_bytes, text, text_bytes);
	w->records_bytes += (uint32_t)size;
	w->n_records++;
	return w->error;
}

/* Of one table. */
static int row_compare(const void *a, const void *b, void *table)
{
	const int64_t *x = a, *y = b;
	const int columns = ((const struct baton_table *)table)->n_columns;
	if (x[ROW_START] != y[ROW_START])
		return x[ROW_START] < y[ROW_START] ? -1 : 1;
	if (x[ROW_DUR] != y[ROW_DUR]) /* outermost first */
		return x[ROW_DUR] > y[ROW_DUR] ? -1 : 1;
	for (int c = ROW_DUR + 1; c < columns; c++)
		if (x[c] != y[c])
			return x[c] < y[c] ? -1 : 1;
	return 0;
}

int baton_writer_columns(struct baton_writer *w, const struct baton_table *table,
						 int64_t *const columns[BATON_MAX_COLUMNS], uint32_t rows)
{
	struct baton_parts parts;
	int64_t t_max = INT64_MIN;
	for (uint32_t i = 0; i < rows; i++) {
		int64_t end = columns[ROW_START][i] + columns[ROW_DUR][i];
		t_max = end > t_max ? end : t_max;
	}
	struct baton_block_header header = {
		.kind = table->kind, .rows = rows, .t_min_ns = columns[ROW_START][0], .t_max_ns = t_max};
	header.raw_bytes =
		(uint32_t)baton_encoder_payload(w->encoder, table, columns, rows, w->raw, &parts);
	if (header.raw_bytes < SMALL_BLOCK_BYTES)
		return baton_writer_seal(w, &header);
	return writer_append(w, &header, BATON_PARTS, writer_pack_parts(w, &parts));
}

/* Seals rows [first, first + n) of a run as one block. */
static int writer_block(struct baton_writer *w, const struct baton_table *table,
						const struct baton_pending *run, uint32_t first, uint32_t n)
{
	int64_t *columns[BATON_MAX_COLUMNS] = {NULL};
	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!(run->present & 1u << c))
			continue;
		columns[c] = w->columns + (size_t)c * w->block_rows;
		const int64_t *value = run->rows + (size_t)first * table->n_columns + c;
		for (uint32_t i = 0; i < n; i++, value += table->n_columns)
			columns[c][i] = *value;
	}
	return baton_writer_columns(w, table, columns, n);
}

int baton_writer_flush_table(struct baton_writer *w, const struct baton_table *table)
{
	struct baton_pending *run = &w->tables[table->kind - BATON_OP];
	if (run->n && w->before_rows)
		w->before_rows();
	if (run->n == 0 || baton_writer_flush_records(w)) /* names come before their first use */
		return w->error;
	if (run->unsorted)
		qsort_r(run->rows, run->n, table->n_columns * sizeof(*run->rows), row_compare,
				(void *)(uintptr_t)table);
	for (uint32_t at = 0; at < run->n && !w->error; at += w->block_rows) {
		uint32_t left = run->n - at;
		writer_block(w, table, run, at, left < w->block_rows ? left : w->block_rows);
	}
	run->n = 0;
	run->present = 0;
	run->unsorted = 0;
	return w->error;
}

static void writer_grow(struct baton_writer *w, struct baton_pending *run, size_t row_bytes)
{
	uint32_t room = run->room ? 2 * run->room : 1024;
	room = room < w->run_rows ? room : w->run_rows;
	void *rows = realloc(run->rows, room * row_bytes);
	if (!rows) {
		w->error = w->error ? w->error : -ENOMEM;
		return;
	}
	run->rows = rows;
	run->room = room;
}

int baton_writer_row(struct baton_writer *w, enum baton_kind kind,
					 const int64_t row[BATON_MAX_COLUMNS], uint32_t present)
{
	struct baton_pending *run = &w->tables[kind - BATON_OP];
	const struct baton_table *table = &baton_tables[kind - BATON_OP];
	const size_t columns = table->n_columns, bytes = columns * sizeof(*run->rows);
	if (run->n == run->room)
		writer_grow(w, run, bytes);
	if (w->error)
		return w->error;
	int64_t *next = run->rows + run->n * columns;
	run->unsorted |= run->n > 0 && row_compare(next - columns, row, (void *)(uintptr_t)table) > 0;
	memcpy(next, row, bytes);
	run->n++;
	run->present |= present;
	return run->n >= w->run_rows ? baton_writer_flush_table(w, baton_table(kind)) : 0;
}

int baton_writer_limit(struct baton_writer *w, uint32_t rows)
{
	w->run_rows = rows;
	for (size_t t = 0; t < BATON_TABLES && !w->error; t++) {
		struct baton_pending *run = &w->tables[t];
		if (run->room <= rows)
			continue;
		baton_writer_flush_table(w, &baton_tables[t]);
		free(run->rows);
		run->rows = NULL;
		run->room = 0;
	}
	return w->error;
}

void baton_writer_free(struct baton_writer *w)
{
	for (size_t t = 0; t < BATON_TABLES; t++)
		free(w->tables[t].rows);
	free(w->held);
	free(w->columns);
	if (w->encoder)
		baton_encoder_close(w->encoder);
	free(w->encoder);
	free(w->records);
	free(w->stored);
	free(w->raw);
	ZSTD_freeCCtx(w->zstd);
	if (w->fd >= 0)
		close(w->fd);
	memset(w, 0, sizeof(*w));
	w->fd = -1;
}

static int writer_begin(struct baton_writer *w, enum baton_content content, uint64_t file_id)
{
	w->level = BATON_ZSTD_LEVEL;
	size_t records = BATON_RECORD_BYTES,
		   rows = baton_columns_bound(w->block_rows, BATON_MAX_COLUMNS);
	w->raw_room = rows > records ? rows : records;
	w->stored_room = ZSTD_compressBound(w->raw_room);
	w->raw = malloc(w->raw_room);
	w->stored = malloc(w->stored_room);
	w->records = malloc(BATON_RECORD_BYTES);
	w->columns = malloc(sizeof(int64_t) * BATON_MAX_COLUMNS * w->block_rows);
	w->zstd = ZSTD_createCCtx();
	w->encoder = calloc(1, sizeof(*w->encoder));
	const bool encodes = w->encoder && baton_encoder_open(w->encoder, w->zstd, w->block_rows) == 0;
	if (!encodes || !w->raw || !w->stored || !w->records || !w->columns || !w->zstd) {
		baton_writer_free(w);
		return -ENOMEM;
	}
	struct baton_file_header header = {.magic = BATON_FILE_MAGIC,
									   .major = BATON_MAJOR,
									   .minor = BATON_MINOR,
									   .header_bytes = sizeof(header),
									   .content = content,
									   .file_id = file_id};
	header.header_hash = XXH3_64bits(&header, offsetof(struct baton_file_header, header_hash));
	return baton_writer_put(w, &header, sizeof(header));
}

int baton_writer_open(struct baton_writer *w, int fd, enum baton_content content, uint64_t file_id)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	w->run_rows = BATON_RUN_ROWS;
	w->block_rows = BATON_BLOCK_ROWS;
	return writer_begin(w, content, file_id);
}

int baton_writer_open_long(struct baton_writer *w, int fd, uint64_t file_id)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	w->run_rows = BATON_RUN_ROWS;
	w->block_rows = BATON_LONG_ROWS;
	return writer_begin(w, BATON_TRACE, file_id);
}

int baton_writer_open_held(struct baton_writer *w, enum baton_content content, uint64_t file_id,
						   uint32_t rows)
{
	memset(w, 0, sizeof(*w));
	w->fd = -1;
	w->hold = 1;
	w->run_rows = w->block_rows = rows;
	return writer_begin(w, content, file_id);
}

int baton_writer_close(struct baton_writer *w)
{
	for (size_t t = 0; t < BATON_TABLES; t++)
		baton_writer_flush_table(w, &baton_tables[t]);
	baton_writer_flush_records(w);
	if (!w->error) {
		struct baton_block_header header = {.kind = BATON_END, .raw_bytes = 8};
		memcpy(w->raw, &w->sequence, 8);
		baton_writer_seal(w, &header);
	}
	int error = w->error;
	if (close(w->fd) != 0 && !error)
		error = -errno;
	w->fd = -1;
	baton_writer_free(w);
	return error;
}
