/* Writes one trace or summary file: buffers rows per table and records, seals them into blocks,
 * closes with the end block. One thread, one writer. Nothing is buffered beyond `run_rows` rows per
 * table; rows are sorted by start inside a run, so a later merge needs one open block per run.
 * Errors: 0 or -errno; after the first error every call returns it again and nothing more is
 * written.
 *
 * The code is in codec/writer.c; compile it with encoder.c, columns_encode.c, predict.c and
 * bitplane.c into your program and link zstd and xxHash. */
#ifndef BATON_WRITER_H
#define BATON_WRITER_H

#include <baton/encoder.h>
#include <baton/format.h>

#define BATON_BLOCK_ROWS 16384u
#define BATON_RUN_ROWS (8 * BATON_BLOCK_ROWS)
/* Of a trace that is written at once: what repeats from layer to layer and step to step is then
 * mostly in one block. */
#define BATON_LONG_ROWS (4 * BATON_BLOCK_ROWS)
#define BATON_RECORD_BYTES (256u << 10)
#define BATON_ZSTD_LEVEL 1
#define BATON_IMPORT_LEVEL 9

struct baton_pending {
	int64_t *rows; /* of as many columns as the table has */
	uint32_t n, room;
	uint32_t present; /* columns that some row of this run has */
	uint8_t unsorted; /* some row begins before the row before it */
};

struct baton_writer {
	int fd;
	int error;
	uint64_t sequence;
	uint64_t bytes; /* written to the file so far */
	struct ZSTD_CCtx_s *zstd;
	struct baton_encoder *encoder;
	uint8_t *raw;
	uint8_t *stored;
	size_t raw_room;
	size_t stored_room;
	int64_t *columns;
	uint8_t *records;
	uint32_t records_bytes;
	uint32_t n_records;
	/* zstd's: BATON_ZSTD_LEVEL, or BATON_IMPORT_LEVEL where 2 MiB more of memory do not matter */
	int level;
	/* rows of a table kept before they are written: BATON_RUN_ROWS, or fewer where many files are
	 * open at once */
	uint32_t run_rows;
	uint32_t block_rows; /* the most rows of a block; its buffers have room for so many */
	struct baton_pending tables[BATON_TABLES];
	/* NULL, or called before rows are written: adds the records that those rows may name */
	void (*before_rows)(void);
	uint8_t hold; /* collect the bytes in `held` instead of writing them; the caller empties it */
	uint8_t *held;
	size_t held_bytes, held_room;
};

/* Begins a file on `fd`, which the writer owns from here on. 0 or -errno. After an error call
 * baton_writer_free(). */
int baton_writer_open(struct baton_writer *w, int fd, enum baton_content content, uint64_t file_id);
/* The same for a trace with blocks of up to BATON_LONG_ROWS rows. It has 18 MiB more of buffers, which
 * small blocks leave untouched. */
int baton_writer_open_long(struct baton_writer *w, int fd, uint64_t file_id);
/* The same without a file: the bytes are collected in w->held. The caller takes them from there and
 * sets held_bytes to 0. Blocks and runs have at most `rows` rows. */
int baton_writer_open_held(struct baton_writer *w, enum baton_content content, uint64_t file_id,
						   uint32_t rows);
/* Flushes everything, writes the end block, closes the file and frees. Returns the first error
 * since the file was opened. */
int baton_writer_close(struct baton_writer *w);
/* Closes and frees without writing anything more: the file has no end block. */
void baton_writer_free(struct baton_writer *w);

/* Appends one record. `head` is the fixed part of head_bytes bytes; its struct baton_record is
 * completed here. `text` is an optional tail. -EMSGSIZE: both together are larger than
 * BATON_RECORD_BYTES; nothing was appended, and the writer can go on. */
int baton_writer_record(struct baton_writer *w, uint16_t type, void *head, size_t head_bytes,
						const void *text, size_t text_bytes);
/* Appends one row. `present` has bit c set for every column c that the source has, and for all
 * required ones. The caller ensures |start| <= 2^62, 0 <= duration and start + duration <= 2^62. */
int baton_writer_row(struct baton_writer *w, enum baton_kind kind,
					 const int64_t row[BATON_MAX_COLUMNS], uint32_t present);
/* Write what is buffered: all records; or the rows of a table, with the records before them. */
int baton_writer_flush_records(struct baton_writer *w);
int baton_writer_flush_table(struct baton_writer *w, const struct baton_table *table);
/* From now on at most `rows` rows of a table (at least 1) are kept before they are written. Tables
 * that have room for more are written and give their memory back. */
int baton_writer_limit(struct baton_writer *w, uint32_t rows);

/* Appends `rows` rows (at most block_rows, at least 1) that the caller has as sorted columns, as one
 * block. columns[i] is column i of the table, or NULL. */
int baton_writer_columns(struct baton_writer *w, const struct baton_table *table,
						 int64_t *const columns[BATON_MAX_COLUMNS], uint32_t rows);

/* For a caller that has made a payload itself: header->raw_bytes bytes of it are in w->raw
 * (w->raw_room bytes). Compresses it, completes the header (the caller sets kind, rows, raw_bytes
 * and times) and appends the block. */
int baton_writer_seal(struct baton_writer *w, struct baton_block_header *header);
/* Appends bytes as they are, between blocks. */
int baton_writer_put(struct baton_writer *w, const void *data, size_t bytes);

#endif
