/* The rows of one table of one trace, in order of start (equal starts: as the blocks come), block
 * by block: memory is one decoded block per run of blocks that overlap in time. Damaged blocks are
 * skipped and noted on the trace. */
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
	size_t order; /* of the block in the file, breaks ties */
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
	struct rows_block *now; /* the block that holds the current row; NULL at the end */
	int64_t now_until;      /* its rows that begin before this come before any other block's */
	uint64_t read;
	int error; /* -errno of I/O or memory; damage is no error */
};

int rows_open(struct rows *rows, struct trace *trace, unsigned kind);
/* Of the blocks that may have a row which begins in [from, to); the others are not read. */
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

/* The same for a column that the source may lack. */
static inline int64_t rows_optional(const struct rows *rows, unsigned column, int64_t otherwise)
{
	return rows->now->present & 1u << column ? rows_value(rows, column) : otherwise;
}

#endif
