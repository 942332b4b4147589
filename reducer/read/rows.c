#include "read/rows.h"

#include "base/holds.h"
#include "base/progress.h"
#include "base/room.h"
#include "base/sort.h"

#include <baton/columns.h>
#include <errno.h>
#include <stdlib.h>

static int by_t_min(const void *a, const void *b, void *context)
{
	const struct baton_entry *entries = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	if (entries[x].t_min_ns != entries[y].t_min_ns)
		return entries[x].t_min_ns < entries[y].t_min_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

int rows_open(struct rows *rows, struct trace *trace, unsigned kind)
{
	return rows_open_within(rows, trace, kind, INT64_MIN, INT64_MAX);
}

static bool is_wanted(const struct baton_entry *entry, unsigned kind, int64_t from, int64_t to)
{
	return entry->kind == kind && entry->t_max_ns >= from && entry->t_min_ns <= to;
}

int rows_open_within(struct rows *rows, struct trace *trace, unsigned kind, int64_t from,
					 int64_t to)
{
	memset(rows, 0, sizeof(*rows));
	rows->trace = trace;
	rows->table = baton_table(kind);
	const struct baton_reader *reader = &trace->reader;
	for (size_t i = 0; i < reader->n_entries; i++)
		rows->n_entries += is_wanted(&reader->entries[i], kind, from, to);
	rows->entries = malloc((rows->n_entries + 1) * sizeof(*rows->entries));
	if (!rows->entries)
		return -ENOMEM;
	size_t n = 0;
	for (size_t i = 0; i < reader->n_entries; i++)
		if (is_wanted(&reader->entries[i], kind, from, to))
			rows->entries[n++] = i;
	sort_rows_with(rows->entries, n, sizeof(*rows->entries), by_t_min, reader->entries);
	return 0;
}

void rows_close(struct rows *rows)
{
	for (size_t i = 0; i < rows->n_open; i++)
		free(rows->open[i].values);
	free(rows->spare.values);
	free(rows->open);
	free(rows->entries);
	memset(rows, 0, sizeof(*rows));
}

static int block_room(struct rows_block *block, size_t values)
{
	if (block->room >= values)
		return 0;
	free(block->values);
	block->values = malloc(values * sizeof(*block->values));
	block->room = block->values ? values : 0;
	return block->values ? 0 : -ENOMEM;
}

/* Decodes the block at `entry` into `block`; block->n is 0 when it is damaged or empty. */
static int block_load(struct rows *rows, size_t entry, struct rows_block *block)
{
	struct trace *trace = rows->trace;
	struct baton_block_header header;
	enum baton_damage damage;
	block->n = block->at = 0;
	int error =
		baton_reader_load(&trace->reader, trace->reader.entries[entry].offset, &header, &damage);
	if (!error && damage == BATON_INTACT) {
		error = block_room(block, (size_t)header.rows * rows->table->n_columns + 1);
		for (unsigned c = 0; !error && c < rows->table->n_columns; c++)
			block->column[c] = block->values + (size_t)c * header.rows;
		if (!error && baton_columns_decode(rows->table, &header, trace->reader.raw, block->column,
										   &block->present) != 0)
			damage = BATON_BAD_COLUMNS;
	}
	if (error)
		return error;
	if (damage != BATON_INTACT) {
		trace_damaged(trace, entry, damage);
		return 0;
	}
	trace->blocks_read++;
	progress_add(sizeof(header) + header.stored_bytes);
	block->n = header.rows;
	block->order = entry;
	return 0;
}

static int open_push(struct rows *rows, const struct rows_block *block)
{
	if (room_for((void **)&rows->open, rows->n_open, &rows->open_room, 4, sizeof(*rows->open)) != 0)
		return -ENOMEM;
	rows->open[rows->n_open++] = *block;
	return 0;
}

/* Opens every block that may hold a row at or before `limit` (all that begin there when nothing is
 * open). */
static int open_until(struct rows *rows, int64_t limit)
{
	const struct baton_entry *entries = rows->trace->reader.entries;
	while (rows->next_entry < rows->n_entries) {
		size_t entry = rows->entries[rows->next_entry];
		if (rows->n_open > 0 && entries[entry].t_min_ns > limit)
			break;
		rows->next_entry++;
		if (entries[entry].kind != rows->table->kind)
			continue; /* an earlier pass found it damaged */
		struct rows_block block = rows->spare;
		rows->spare = (struct rows_block){0};
		int error = block_load(rows, entry, &block);
		if (!error && block.n > 0) {
			error = open_push(rows, &block);
			limit = rows->n_open == 1 ? block.column[ROW_START][0] : limit;
			if (!error)
				continue;
		}
		rows->spare = block;
		if (error)
			return error;
	}
	return 0;
}

static bool block_before(const struct rows_block *a, const struct rows_block *b)
{
	int64_t x = a->column[ROW_START][a->at], y = b->column[ROW_START][b->at];
	return x != y ? x < y : a->order < b->order;
}

static struct rows_block *earliest(struct rows *rows)
{
	struct rows_block *best = NULL;
	for (size_t i = 0; i < rows->n_open; i++)
		if (!best || block_before(&rows->open[i], best))
			best = &rows->open[i];
	return best;
}

static void retire(struct rows *rows, struct rows_block *block)
{
	if (rows->spare.values)
		free(rows->spare.values);
	rows->spare = *block;
	*block = rows->open[--rows->n_open];
	rows->now = NULL;
}

/* How long the rows of the block in hand come first: until the next block's first row, or the row
 * in hand of another open block. */
static int64_t first_until(const struct rows *rows)
{
	int64_t until = INT64_MAX;
	if (rows->next_entry < rows->n_entries)
		until = rows->trace->reader.entries[rows->entries[rows->next_entry]].t_min_ns;
	for (size_t i = 0; i < rows->n_open; i++) {
		const struct rows_block *other = &rows->open[i];
		if (other == rows->now)
			continue;
		/* of equal starts the earlier block's comes first */
		int64_t start = other->column[ROW_START][other->at] + (other->order > rows->now->order);
		until = start < until ? start : until;
	}
	return until;
}

bool rows_next_block(struct rows *rows)
{
	if (rows->error)
		return false;
	const int64_t before = rows->now ? rows_value(rows, ROW_START) : INT64_MIN;
	if (rows->now && ++rows->now->at == rows->now->n)
		retire(rows, rows->now);
	struct rows_block *first = earliest(rows);
	int64_t limit = first ? first->column[ROW_START][first->at] : INT64_MIN;
	rows->error = open_until(rows, limit);
	rows->now = rows->error ? NULL : earliest(rows);
	if (!rows->now)
		return false;
	HOLDS(rows_value(rows, ROW_START) >= before && rows->now->at < rows->now->n);
	rows->now_until = first_until(rows);
	rows->read++;
	return true;
}
