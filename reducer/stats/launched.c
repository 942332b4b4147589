#include "stats/launched.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_ROOM = 1024 };

struct caller {
	uint64_t correlation;
	int64_t begin, end;
	uint32_t thread, name;
};

struct callers {
	struct caller *at;
	size_t n, room;
};

/* Of the calls with one correlation the outermost comes first. */
static int by_correlation(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static int add_caller(struct callers *callers, struct stats_file *file, const struct rows *call)
{
	struct caller *caller;
	const uint64_t correlation = (uint64_t)rows_value(call, CALL_CORRELATION);
	if (correlation == 0)
		return 0;
	int error = room_for((void **)&callers->at, callers->n, &callers->room, LEAST_ROOM,
						 sizeof(*callers->at));
	if (error)
		return error;
	caller = &callers->at[callers->n++];
	*caller = (struct caller){
		.correlation = correlation,
		.begin = rows_value(call, CALL_START),
		.end = rows_value(call, CALL_START) + rows_value(call, CALL_DUR),
		.thread = idmap_get(&file->trace.thread_ids, (uint64_t)rows_value(call, CALL_THREAD)),
		.name = stats_call_name(file, call)};
	return caller->name ? 0 : -ENOMEM;
}

static int read_callers(struct stats_file *file, struct callers *callers)
{
	struct rows rows;
	int error = rows_open(&rows, &file->trace, BATON_CALL);
	if (error)
		return error;
	while (!error && rows_next(&rows))
		error = add_caller(callers, file, &rows);
	error = error ? error : rows.error;
	rows_close(&rows);
	sort_rows(callers->at, callers->n, sizeof(*callers->at), by_correlation);
	return error;
}

static const struct caller *find_caller(const struct callers *callers, uint64_t correlation)
{
	size_t from = 0, to = callers->n;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (callers->at[middle].correlation < correlation)
			from = middle + 1;
		else
			to = middle;
	}
	return correlation && from < callers->n && callers->at[from].correlation == correlation
			   ? &callers->at[from]
			   : NULL;
}

static int add_op(struct launched_list *list, struct stats_file *file, const struct rows *op,
				  const struct callers *callers)
{
	int error = room_for((void **)&list->at, list->n, &list->room, LEAST_ROOM, sizeof(*list->at));
	if (error)
		return error;
	struct launched *row = &list->at[list->n++];
	*row = (struct launched){
		.begin = rows_value(op, OP_START),
		.end = rows_value(op, OP_START) + rows_value(op, OP_DUR),
		.correlation = (uint64_t)rows_value(op, OP_CORRELATION),
		.bytes = rows_optional(op, OP_BYTES, -1),
		.name = stats_op_name(file, op),
		.stream = idmap_get(&file->trace.stream_ids, (uint64_t)rows_value(op, OP_STREAM)),
		.shape = idmap_get(&file->trace.shape_ids, (uint64_t)rows_optional(op, OP_SHAPE, 0)),
		.memory = (int16_t)rows_optional(op, OP_MEMORY, -1),
		.kind = (uint8_t)rows_value(op, OP_KIND)};
	const struct caller *caller = find_caller(callers, row->correlation);
	if (caller) {
		row->call_begin = caller->begin;
		row->call_end = caller->end;
		row->call_name = caller->name;
		row->thread = caller->thread;
	}
	return row->name ? 0 : -ENOMEM;
}

int launched_read(struct stats_file *file, struct launched_list *list)
{
	struct callers callers = {0};
	struct rows rows;
	int error = read_callers(file, &callers);
	if (!error)
		error = rows_open(&rows, &file->trace, BATON_OP);
	if (!error) {
		while (!error && stats_next(file, &rows))
			error = add_op(list, file, &rows, &callers);
		error = error ? error : rows.error;
		rows_close(&rows);
	}
	free(callers.at);
	return error;
}
