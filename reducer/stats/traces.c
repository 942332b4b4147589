/* Tables with a row for each event, in order of time. */
#include "stats/reports.h"

#include "base/memory_kind.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "stats/launched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

struct event {
	int64_t at;                    /* by which it is sorted */
	struct launched row;           /* of calls only its call */
	uint32_t process;              /* index in the run */
	uint32_t device, context_name; /* names in the pool */
	int64_t pid, tid, context, stream;
	int32_t ordinal;
	int64_t result; /* of a call; -1: not known */
	struct trace_shape shape;
};

struct traces {
	enum traces_variant variant;
	struct event *events;
	size_t n, room;
	struct stats_run *run;
};

static struct event *new_event(struct traces *t)
{
	if (room_for((void **)&t->events, t->n, &t->room, LEAST_ROOM, sizeof(*t->events)) != 0)
		return NULL;
	struct event *event = &t->events[t->n++];
	*event = (struct event){0};
	return event;
}

static void fill_thread(struct event *event, const struct trace *trace, uint32_t thread)
{
	event->pid = trace->threads[thread].pid;
	event->tid = trace->threads[thread].tid;
}

/* "NVIDIA H100 (0)". False: out of memory. */
static bool fill_device(struct event *event, struct stats_file *file)
{
	char name[512];
	const struct trace *trace = &file->trace;
	const struct trace_stream *stream = &trace->streams[event->row.stream];
	const struct trace_device *device = &trace->devices[stream->device];
	const struct text model = strings_get(&trace->strings, device->name);
	snprintf(name, sizeof(name), "%s%s(%d)", model.at, model.bytes ? " " : "", device->ordinal);
	event->context = stream->context;
	event->stream = stream->stream;
	event->ordinal = device->ordinal;
	event->device = stats_text(file, name);
	return event->device != 0;
}

static int add_ops(struct traces *t, struct stats_file *file)
{
	struct launched_list list = {0};
	int error = launched_read(file, &list);
	for (size_t i = 0; i < list.n && !error; i++) {
		const struct launched *row = &list.at[i];
		if (t->variant == TRACES_EXEC && (!row->call_name || row->kind != BATON_KERNEL))
			continue;
		struct event *event = new_event(t);
		error = event ? 0 : -ENOMEM;
		if (error)
			break;
		event->row = *row;
		event->shape = file->trace.shapes[row->shape];
		event->at = t->variant == TRACES_EXEC ? row->call_begin : row->begin;
		if (row->call_name)
			fill_thread(event, &file->trace, row->thread);
		else
			event->pid = file->process->pid;
		error = fill_device(event, file) ? 0 : -ENOMEM;
	}
	free(list.at);
	return error;
}

static int add_call(struct traces *t, struct stats_file *file, const struct rows *rows)
{
	struct event *event = new_event(t);
	if (!event)
		return -ENOMEM;
	const uint64_t id = (uint64_t)rows_value(rows, CALL_THREAD);
	const uint32_t thread = idmap_get(&file->trace.thread_ids, id);
	event->at = rows_value(rows, CALL_START);
	event->row = (struct launched){.call_begin = event->at,
								   .call_end = event->at + rows_value(rows, CALL_DUR),
								   .correlation = (uint64_t)rows_value(rows, CALL_CORRELATION),
								   .call_name = stats_call_name(file, rows)};
	event->result = rows_optional(rows, CALL_RESULT, -1);
	fill_thread(event, &file->trace, thread);
	const struct text name = strings_get(&file->trace.strings, file->trace.threads[thread].name);
	event->context_name = name.bytes ? stats_text(file, name.at) : 0;
	return event->row.call_name ? 0 : -ENOMEM;
}

static int add_calls(struct traces *t, struct stats_file *file)
{
	struct rows rows;
	int error = rows_open(&rows, &file->trace, BATON_CALL);
	if (error)
		return error;
	while (!error && stats_next(file, &rows))
		error = add_call(t, file, &rows);
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

static int add_file(struct stats_file *file, void *context)
{
	struct traces *t = context;
	return t->variant == TRACES_CALLS ? add_calls(t, file) : add_ops(t, file);
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->row.correlation > y->row.correlation) - (x->row.correlation < y->row.correlation);
}

static struct cell shared_cell(uint32_t bytes)
{
	return bytes == BATON_SHAPE_UNKNOWN ? (struct cell){CELL_NONE, {0}} : cell_milli(bytes / 1e6);
}

static void put_shape(const struct trace_shape *shape, struct cell *cells)
{
	for (int i = 0; i < 3; i++) {
		cells[i] = cell_number(shape->grid[i]);
		cells[3 + i] = cell_number(shape->block[i]);
	}
	if (shape->registers != BATON_SHAPE_UNKNOWN)
		cells[6] = cell_number(shape->registers);
	cells[7] = shared_cell(shape->static_shared);
	cells[8] = shared_cell(shape->dynamic_shared);
}

static struct cell memory_cell(int kind)
{
	return kind < BATON_MEMORY_END ? cell_text(memory_kind_name(kind))
								   : (struct cell){CELL_NONE, {0}};
}

/* A fill has one kind, which nsys has in the first of the two columns. */
static void put_memory(const struct launched *row, struct cell *cells)
{
	const int from = row->memory & 15, to = row->memory >> 4;
	if (row->memory < 0)
		return;
	cells[0] = memory_cell(row->kind == BATON_MEMSET ? to : from);
	if (row->kind == BATON_MEMCPY)
		cells[1] = memory_cell(to);
}

static struct cell since(const struct traces *t, int64_t at_ns)
{
	return cell_number(saturate_sub(at_ns, t->run->begin_ns));
}

static void put_op(const struct traces *t, const struct event *e, struct cell *cells)
{
	const struct launched *row = &e->row;
	const int64_t dur_ns = row->end - row->begin;
	const bool copy = row->kind == BATON_MEMCPY || row->kind == BATON_MEMSET;
	memset(cells, 0, SHEET_COLUMNS_MOST * sizeof(*cells));
	cells[0] = since(t, row->begin);
	cells[1] = cell_number(dur_ns);
	cells[2] = cell_number((int64_t)row->correlation);
	if (row->shape)
		put_shape(&e->shape, &cells[3]);
	if (copy)
		put_memory(row, &cells[14]);
	if (copy && row->bytes >= 0) {
		cells[12] = cell_milli((double)row->bytes / 1e6);
		if (dur_ns > 0)
			cells[13] = cell_milli((double)row->bytes * 1e3 / (double)dur_ns);
	}
	cells[16] = cell_text(stats_name(t->run, e->device));
	cells[17] = cell_number(e->context);
	cells[19] = cell_number(e->stream);
	cells[20] = cell_text(stats_name(t->run, row->name));
}

static void put_call(const struct traces *t, const struct event *e, struct cell *cells)
{
	const struct launched *row = &e->row;
	cells[0] = since(t, row->call_begin);
	cells[1] = cell_number(row->call_end - row->call_begin);
	cells[2] = cell_text(stats_name(t->run, row->call_name));
	cells[3] = e->result >= 0 ? cell_number(e->result) : (struct cell){CELL_NONE, {0}};
	cells[4] = cell_number((int64_t)row->correlation);
	cells[5] = cell_number(e->pid);
	cells[6] = cell_number(e->tid);
	cells[7] = (struct cell){CELL_NONE, {0}};
	cells[8] = e->context_name ? cell_text(stats_name(t->run, e->context_name))
							   : (struct cell){CELL_NONE, {0}};
}

/* "  12    1    1"; `room` holds it. */
static struct cell three_cell(const uint32_t three[3], char room[48])
{
	snprintf(room, 48, "%4" PRIu32 " %4" PRIu32 " %4" PRIu32, three[0], three[1], three[2]);
	return cell_text(room);
}

static void put_exec(const struct traces *t, const struct event *e, struct cell *cells,
					 char rooms[2][48])
{
	const struct launched *row = &e->row;
	const int64_t last = row->end > row->call_end ? row->end : row->call_end;
	const struct cell none = {CELL_NONE, {0}};
	const bool queued = row->begin >= row->call_end;
	cells[0] = since(t, row->call_begin);
	cells[1] = cell_number(row->call_end - row->call_begin);
	cells[2] = queued ? since(t, row->call_end) : none;
	cells[3] = queued ? cell_number(saturate_sub(row->begin, row->call_end)) : none;
	cells[4] = since(t, row->begin);
	cells[5] = cell_number(row->end - row->begin);
	cells[6] = cell_number(saturate_sub(last, row->call_begin));
	cells[7] = cell_number(e->pid);
	cells[8] = cell_number(e->tid);
	cells[9] = cell_number(e->ordinal);
	cells[10] = cell_text(stats_name(t->run, row->call_name));
	cells[11] = row->shape ? three_cell(e->shape.grid, rooms[0]) : none;
	cells[12] = row->shape ? three_cell(e->shape.block, rooms[1]) : none;
	cells[13] = cell_text(stats_name(t->run, row->name));
}

int traces_write(struct stats_run *run, struct sheet *sheet, int variant)
{
	struct traces t = {.variant = (enum traces_variant)variant, .run = run};
	int error = stats_each(run, add_file, &t);
	sort_rows(t.events, t.n, sizeof(*t.events), by_time);
	for (size_t i = 0; i < t.n && !error && !ferror(sheet->out); i++) {
		struct cell cells[SHEET_COLUMNS_MOST];
		char rooms[2][48];
		if (t.variant == TRACES_GPU)
			put_op(&t, &t.events[i], cells);
		else if (t.variant == TRACES_CALLS)
			put_call(&t, &t.events[i], cells);
		else
			put_exec(&t, &t.events[i], cells, rooms);
		error = sheet_row(sheet, cells);
	}
	free(t.events);
	return error;
}
