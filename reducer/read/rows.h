/* The rows of one table of one trace, in order of start; equal starts keep the order of the blocks.
 * One block is decoded at a time for each run of blocks that overlap in time, which bounds memory.
 * Damaged blocks are skipped and noted on the trace. */
#ifndef READ_ROWS_H
#define READ_ROWS_H

#include "read/trace.h"

struct rows_block {
	int64_t *values; /* one allocation: n_columns x rows */
	int64_t *column[BATON_MAX_COLUMNS];
	uint32_t present;
	uint32_t n;
	uint32_t at;
	size_t room;  /* values allocated */
	size_t order; /* position of the block in the file, to break ties */
};

struct rows {
	struct trace *trace;
	const struct baton_table *table;
	size_t *entries; /* blocks of this kind by t_min */
	size_t n_entries;
	size_t next_entry;
	struct rows_block *open;
	size_t n_open;
	size_t open_room;
	struct rows_block spare;
	struct rows_block *now; /* the block with the current row; NULL at the end */
	/* its rows that begin before this instant come before those of any other block */
	int64_t now_until;
	uint64_t read;
	int error; /* -errno of I/O or memory; damage is no error */
};

/* Opens the rows of the table `kind`; rows_next() then gives the first one. 0 or -ENOMEM. */
int rows_open(struct rows *rows, struct trace *trace, unsigned kind);
/* The same for the blocks that may have a row that begins in [from, to); the others are not
 * read. */
int rows_open_within(struct rows *rows, struct trace *trace, unsigned kind, int64_t from,
					 int64_t to);
void rows_close(struct rows *rows);

bool rows_next_block(struct rows *rows);

/* Steps to the next row; false at the end or after an error. The first call gives the first row. */
static inline bool rows_next(struct rows *rows)
{
	struct rows_block *now = rows->now;
	if (!now || now->at + 1 >= now->n || now->column[ROW_START][now->at + 1] >= rows->now_until)
		return rows_next_block(rows);
	now->at++;
	rows->read++;
	return true;
}

/* A value of the current row. */
static inline int64_t rows_value(const struct rows *rows, unsigned column)
{
	return rows->now->column[column][rows->now->at];
}

/* A value of the current row, or `otherwise` where the source lacks the column. */
static inline int64_t rows_optional(const struct rows *rows, unsigned column, int64_t otherwise)
{
	return rows->now->present & 1u << column ? rows_value(rows, column) : otherwise;
}

/* The column of a row's stream; -1: rows of this kind have none. */
static inline int rows_stream_column(enum baton_kind kind)
{
	return kind == BATON_OP ? OP_STREAM : kind == BATON_SYNC ? SYNC_STREAM : -1;
}

#endif
