#include "export/dataset_detail.h"

#include "attribute/op_ring.h"
#include "base/room.h"
#include "base/sort.h"
#include "read/run.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_ROOM = 16 };

static void read_row(const struct detail_feed *feed, struct detail *d)
{
	const struct rows *rows = &feed->rows;
	const struct trace *trace = &feed->trace;
	const uint32_t stream = idmap_get(&trace->stream_ids, (uint64_t)rows_value(rows, OP_STREAM));
	*d = (struct detail){
		.dur_ns = rows_value(rows, OP_DUR),
		.stream = trace->streams[stream].stream,
		.correlation = rows_value(rows, OP_CORRELATION),
		.kind = rows_value(rows, OP_KIND),
		.name = idmap_get(&trace->string_ids, (uint64_t)rows_value(rows, OP_NAME)),
		.present = rows->now->present,
		.context = trace->streams[stream].context,
		.place = stream,
		.pageable = rows_optional(rows, OP_PAGEABLE, 0),
		.graph_node = rows_optional(rows, OP_GRAPH_NODE, 0),
		.memory = rows_optional(rows, OP_MEMORY, 0),
		.bytes = rows_optional(rows, OP_BYTES, 0),
		.shape = idmap_get(&trace->shape_ids, (uint64_t)rows_optional(rows, OP_SHAPE, 0)),
		.source = idmap_get(&trace->device_ids, (uint64_t)rows_optional(rows, OP_SOURCE, 0)),
		.target = idmap_get(&trace->device_ids, (uint64_t)rows_optional(rows, OP_TARGET, 0)),
	};
}

static int by_identity(const void *a, const void *b)
{
	const struct detail *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns < y->dur_ns ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Holds the rows that begin at `start_ns`. */
static int load(struct detail_feed *feed, int64_t start_ns)
{
	int error = 0;
	feed->n = 0;
	feed->start_ns = start_ns;
	while (feed->more && rows_value(&feed->rows, OP_START) < start_ns)
		feed->more = rows_next(&feed->rows);
	while (!error && feed->more && rows_value(&feed->rows, OP_START) == start_ns) {
		error = room_for((void **)&feed->at, feed->n, &feed->room, LEAST_ROOM, sizeof(*feed->at));
		if (!error)
			read_row(feed, &feed->at[feed->n++]);
		feed->more = rows_next(&feed->rows);
	}
	if (feed->n > 1)
		sort_rows(feed->at, feed->n, sizeof(*feed->at), by_identity);
	return error ? error : feed->rows.error;
}

static int open_feed(struct detail_feed *feed, const struct run_process *process)
{
	int error = run_process_open(process, &feed->trace, NULL);
	if (error)
		return error;
	error = rows_open(&feed->rows, &feed->trace, BATON_OP);
	if (error) {
		trace_close(&feed->trace);
		return error;
	}
	feed->open = true;
	feed->more = rows_next(&feed->rows);
	feed->start_ns = INT64_MIN;
	return feed->rows.error;
}

/* The first that is not before `key`. */
static size_t lower(const struct detail_feed *feed, const struct detail *key)
{
	size_t low = 0, high = feed->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (by_identity(&feed->at[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int details_find(struct details *details, const struct run_process *process, const struct op *op,
				 const struct detail **out)
{
	const struct detail key = {.correlation = (int64_t)op->correlation,
							   .stream = op->stream,
							   .dur_ns = op->end - op->start,
							   .name = op->name,
							   .kind = op->kind};
	const size_t before = details->n;
	int error = 0;
	*out = NULL;
	if (op->feed >= before)
		error =
			room_reach((void **)&details->feeds, &details->n, op->feed, sizeof(*details->feeds));
	if (error)
		return error;
	struct detail_feed *feed = &details->feeds[op->feed];
	if (!feed->open)
		error = open_feed(feed, process);
	if (!error && feed->start_ns != op->start)
		error = load(feed, op->start);
	if (error)
		return error;
	const size_t first = lower(feed, &key);
	const size_t at = first < feed->n ? first + feed->at[first].taken : first;
	if (at >= feed->n || by_identity(&feed->at[at], &key) != 0)
		return 0;
	feed->at[first].taken++;
	*out = &feed->at[at];
	return 0;
}

void details_close(struct details *details)
{
	for (size_t i = 0; i < details->n; i++) {
		struct detail_feed *feed = &details->feeds[i];
		if (feed->open) {
			rows_close(&feed->rows);
			trace_close(&feed->trace);
		}
		free(feed->at);
	}
	free(details->feeds);
	*details = (struct details){0};
}
