#include "export/together.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 16 };

void walk_row_copy(struct walk_row *row, const struct rows *rows, unsigned table)
{
	row->table = table;
	row->present = rows->now->present;
	for (unsigned c = 0; c < BATON_MAX_COLUMNS; c++)
		row->value[c] = rows->now->present >> c & 1 ? rows_value(rows, c) : 0;
}

/* The next row of a table in the window. */
static void step(struct together *t, unsigned i)
{
	struct rows *rows = &t->rows[i];
	while ((t->more[i] = rows_next(rows)) && rows_value(rows, ROW_START) < t->from_ns)
		;
	if (t->more[i] && rows_value(rows, ROW_START) >= t->to_ns)
		t->more[i] = false;
}

int together_open(struct together *t, struct trace *trace, const unsigned *kinds, unsigned n)
{
	int error = 0;
	for (unsigned i = 0; !error && i < n; i++) {
		t->kind[i] = kinds[i];
		error = rows_open_within(&t->rows[i], trace, kinds[i], t->from_ns, t->to_ns);
		t->n_tables += !error;
		if (!error)
			step(t, i);
	}
	return error;
}

static int by_length(const void *a, const void *b)
{
	const struct together_row *x = a, *y = b;
	const int64_t p = x->row.value[ROW_DUR], q = y->row.value[ROW_DUR];
	if (p != q)
		return p > q ? -1 : 1;
	if (x->row.table != y->row.table) /* a range is around a call */
		return x->row.table > y->row.table ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Takes the rows of a table that begin at `ns`. */
static int take(struct together *t, unsigned i, int64_t ns)
{
	while (t->more[i] && rows_value(&t->rows[i], ROW_START) == ns) {
		if (room_for((void **)&t->at, t->n, &t->room, LEAST_ROOM, sizeof(*t->at)) != 0)
			return -ENOMEM;
		walk_row_copy(&t->at[t->n].row, &t->rows[i], t->kind[i]);
		t->at[t->n].order = t->n;
		t->n++;
		step(t, i);
	}
	return 0;
}

int together_next(struct together *t)
{
	int64_t ns = INT64_MAX;
	int error = 0;
	t->n = 0;
	for (unsigned i = 0; i < t->n_tables; i++) {
		if (t->rows[i].error)
			return t->rows[i].error;
		if (t->more[i] && rows_value(&t->rows[i], ROW_START) < ns)
			ns = rows_value(&t->rows[i], ROW_START);
	}
	for (unsigned i = 0; !error && i < t->n_tables; i++)
		error = take(t, i, ns);
	sort_rows(t->at, t->n, sizeof(*t->at), by_length);
	return error;
}

void together_close(struct together *t)
{
	for (unsigned i = 0; i < t->n_tables; i++)
		rows_close(&t->rows[i]);
	free(t->at);
	memset(t, 0, sizeof(*t));
}
