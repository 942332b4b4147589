#include "stats/spans.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"
#include "stats/styles.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LEAST_ROOM = 1024 };

/* ---- trees ---- */

/* Of two that begin together the longer one is outside. */
static int by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static int add_span(struct spans *spans, struct stats_file *file, const struct rows *range)
{
	const int64_t category = rows_value(range, RANGE_CATEGORY);
	if (!style_of(category))
		return 0;
	int error =
		room_for((void **)&spans->at, spans->n, &spans->room, LEAST_ROOM, sizeof(*spans->at));
	if (error)
		return error;
	struct span *span = &spans->at[spans->n++];
	*span = (struct span){
		.begin = rows_value(range, RANGE_START),
		.end = rows_value(range, RANGE_START) + rows_value(range, RANGE_DUR),
		.name = stats_range_name(file, range),
		.thread = idmap_get(&file->trace.thread_ids, (uint64_t)rows_value(range, RANGE_THREAD)),
		.category = (uint8_t)category};
	return span->name ? 0 : -ENOMEM;
}

/* Start/end ranges are in no other one, and none is in them: they need not nest. */
static void link_spans(struct spans *spans)
{
	uint32_t inner = 0; /* 1 + the innermost range that is open */
	for (size_t i = 0; i < spans->n; i++) {
		struct span *span = &spans->at[i];
		if (i > 0 && spans->at[i - 1].thread != span->thread)
			inner = 0;
		if (span->category == BATON_RANGE_NVTX_SPAN)
			continue;
		while (inner && spans->at[inner - 1].end < span->end)
			inner = spans->at[inner - 1].parent;
		span->parent = inner;
		if (inner)
			span->level = spans->at[inner - 1].level + 1;
		inner = (uint32_t)i + 1;
	}
}

int spans_read(struct stats_file *file, struct spans *spans)
{
	struct rows rows;
	int error = rows_open(&rows, &file->trace, BATON_RANGE);
	if (error)
		return error;
	while (!error && stats_next(file, &rows))
		error = add_span(spans, file, &rows);
	error = error ? error : rows.error;
	rows_close(&rows);
	sort_rows(spans->at, spans->n, sizeof(*spans->at), by_place);
	link_spans(spans);
	return error;
}

/* ---- launches in them ---- */

struct open_spans {
	const struct spans *all;
	size_t next; /* of all: opened next */
	size_t at[SPANS_OPEN];
	size_t n;
	uint32_t thread;
	uint64_t *left_out;
};

static void forget_ended(struct open_spans *open, int64_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < open->n; i++)
		if (open->all->at[open->at[i]].end >= now)
			open->at[kept++] = open->at[i];
	open->n = kept;
}

/* Opens what has begun on the op's thread by the time of its call. */
static void advance(struct open_spans *open, const struct launched *op)
{
	if (open->thread != op->thread)
		open->n = 0;
	open->thread = op->thread;
	for (; open->next < open->all->n; open->next++) {
		const struct span *span = &open->all->at[open->next];
		if (span->thread > op->thread ||
			(span->thread == op->thread && span->begin > op->call_begin))
			break;
		if (span->thread < op->thread || span->end < op->call_begin)
			continue;
		if (open->n == SPANS_OPEN)
			forget_ended(open, op->call_begin);
		if (open->n == SPANS_OPEN)
			(*open->left_out)++;
		else
			open->at[open->n++] = open->next;
	}
	forget_ended(open, op->call_begin);
}

static int by_call(const void *a, const void *b)
{
	const struct launched *x = a, *y = b;
	if (!x->call_name != !y->call_name)
		return x->call_name ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->call_begin != y->call_begin)
		return x->call_begin < y->call_begin ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

int spans_walk(const struct spans *spans, struct launched_list *list, spans_visit *visit,
			   void *context, uint64_t *left_out)
{
	struct open_spans open = {.all = spans, .left_out = left_out};
	int result = 0;
	sort_rows(list->at, list->n, sizeof(*list->at), by_call);
	for (size_t i = 0; i < list->n && !result; i++) {
		const struct launched *op = &list->at[i];
		size_t around = 0;
		if (op->call_name)
			advance(&open, op);
		for (size_t k = 0; op->call_name && k < open.n && !result; k++) {
			if (spans->at[open.at[k]].end < op->call_end)
				continue;
			around++;
			result = visit(open.at[k], op, context);
		}
		if (!around && !result)
			result = visit(SPAN_NONE, op, context);
	}
	return result;
}

void spans_say_left_out(struct stats_run *run, uint64_t left_out)
{
	if (left_out == 0)
		return;
	diag("%" PRIu64 " ranges left out, as more than %d were open at once", left_out, SPANS_OPEN);
	run->status = STATUS_PARTIAL;
}
