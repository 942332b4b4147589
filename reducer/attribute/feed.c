#include "attribute/feed.h"

#include "base/room.h"
#include "read/run.h"

#include <errno.h>
#include <stdlib.h>

enum { RANGE_KNOWN = 1 << HOST_BIT_KNOWN };

/* Several device records may carry one key: the streams of all of them lie on the first. */
static void find_device(struct feed *feed, const char *device_key)
{
	struct trace *trace = &feed->trace;
	char key[512];
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		run_device_key(trace, d, key, sizeof(key));
		if (strcmp(key, device_key) != 0)
			continue;
		feed->device = feed->device ? feed->device : d;
		for (uint32_t k = 1; d != feed->device && k < trace->n_streams; k++)
			if (trace->streams[k].device == d)
				trace->streams[k].device = feed->device;
	}
}

static int make_tables(struct feed *feed)
{
	const struct trace *trace = &feed->trace;
	feed->names = calloc(trace->strings.n, sizeof(*feed->names));
	feed->slots = calloc(trace->n_streams, sizeof(*feed->slots));
	if (!feed->names || !feed->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->strings.n; i++)
		feed->names[i].first_launch_ns = INT64_MAX;
	int error = corr_ring_open(&feed->launches, FEED_LAUNCHES, sizeof(struct launch), feed->store);
	return error ? error
				 : corr_ring_open(&feed->colls, FEED_COLLECTIVES, sizeof(struct collective),
								  feed->store);
}

int feed_open(struct feed *feed, const struct feed_setup *setup)
{
	memset(feed, 0, sizeof(*feed));
	feed->process = setup->process;
	feed->host_names = setup->names;
	feed->classes = setup->classes;
	feed->store = setup->store;
	int error = run_process_open(setup->file, &feed->trace, setup->log);
	if (error)
		return error;
	find_device(feed, setup->device_key);
	error = make_tables(feed);
	if (error)
		feed_close(feed);
	return error;
}

static void close_rows(struct feed *feed)
{
	rows_close(&feed->ops);
	rows_close(&feed->calls);
	rows_close(&feed->ranges);
	rows_close(&feed->overheads);
	rows_close(&feed->scheds);
	rows_close(&feed->syncs);
	rows_close(&feed->collectives);
}

static void forget_launches(struct feed *feed)
{
	corr_ring_clear(&feed->launches);
	corr_ring_clear(&feed->colls);
	feed->newest_launch = 0;
	feed->late_collective = false;
	feed->long_loads.n = 0;
	feed->long_loads.more = false;
	memset(feed->colls_seen, 0, sizeof(feed->colls_seen));
}

struct feed_table {
	struct rows *rows;
	unsigned kind;
	bool *left;
};

static int rewind_table(struct feed *feed, const struct feed_table *table)
{
	const bool at_once =
		table->kind == BATON_OP || table->kind == BATON_CALL || table->kind == BATON_COLLECTIVE;
	rows_close(table->rows);
	int error = rows_open(table->rows, &feed->trace, table->kind);
	if (error)
		return error;
	*table->left =
		at_once ? rows_next(table->rows) : table->rows->n_entries > 0; /* opened when a gap asks */
	return table->rows->error;
}

int feed_rewind(struct feed *feed)
{
	const struct feed_table tables[] = {
		{&feed->ops, BATON_OP, &feed->ops_left},
		{&feed->calls, BATON_CALL, &feed->calls_left},
		{&feed->ranges, BATON_RANGE, &feed->ranges_left},
		{&feed->overheads, BATON_OVERHEAD, &feed->overheads_left},
		{&feed->scheds, BATON_SCHED, &feed->scheds_left},
		{&feed->syncs, BATON_SYNC, &feed->syncs_left},
		{&feed->collectives, BATON_COLLECTIVE, &feed->collectives_left},
	};
	if (!feed->joined)
		forget_launches(feed);
	feed->dense = false;
	if (feed->kept)
		feed->kept->next = 0;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const bool done = tables[i].kind == BATON_OP || tables[i].kind == BATON_CALL ||
						  tables[i].kind == BATON_COLLECTIVE;
		int error = feed->joined && done ? 0 : rewind_table(feed, &tables[i]);
		if (error)
			return error;
	}
	feed->sampled = feed->scheds_left && trace_is_recorded(&feed->trace);
	return 0;
}

void feed_close(struct feed *feed)
{
	close_rows(feed);
	corr_ring_close(&feed->launches, feed->store);
	corr_ring_close(&feed->colls, feed->store);
	free(feed->names);
	free(feed->slots);
	free(feed->long_loads.at);
	strings_free(&feed->said);
	trace_close(&feed->trace);
}

int feed_say(struct feed *feed, const char *text, size_t bytes, uint32_t *name)
{
	int error = feed->said.n ? 0 : strings_init(&feed->said);
	if (!error)
		error = strings_add(&feed->said, text, bytes, name, NULL);
	*name += feed->trace.strings.n;
	return error;
}

static bool outer_call(const struct feed *feed, const struct launch *old, int64_t start,
					   int64_t end, uint32_t thread)
{
	if (start != old->start)
		return start < old->start;
	if (end != old->end)
		return end > old->end;
	return feed->trace.threads[thread].tid < feed->trace.threads[old->thread].tid;
}

/* The columns of a block of calls. */
struct call_columns {
	const int64_t *start, *dur, *thread, *name, *correlation;
	const int64_t *stack; /* NULL: the source does not say */
};

static struct call_columns call_columns_of(const struct rows *calls)
{
	int64_t *const *c = calls->now->column;
	return (struct call_columns){.start = c[CALL_START],
								 .dur = c[CALL_DUR],
								 .thread = c[CALL_THREAD],
								 .name = c[CALL_NAME],
								 .correlation = c[CALL_CORRELATION],
								 .stack =
									 calls->now->present & 1u << CALL_STACK ? c[CALL_STACK] : NULL};
}

static inline struct feed_call call_of(const struct feed *feed, const struct call_columns *c,
									   uint32_t i)
{
	return (struct feed_call){.start = c->start[i],
							  .end = c->start[i] + c->dur[i],
							  .correlation = (uint64_t)c->correlation[i],
							  .name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]),
							  .thread = idmap_get(&feed->trace.thread_ids, (uint64_t)c->thread[i]),
							  .stack = c->stack ? (uint32_t)c->stack[i] : 0};
}

static inline int tell_call(struct feed *feed, const struct call_columns *c, uint32_t i,
							uint32_t *owner)
{
	struct feed_call call = call_of(feed, c, i);
	int error = feed->on_call(feed->context, feed, &call);
	*owner = call.owner;
	return error;
}

/* Row `i`. */
static inline void take_call(struct feed *feed, const struct call_columns *c, uint32_t i,
							 uint32_t owner)
{
	const uint64_t correlation = (uint64_t)c->correlation[i];
	if (correlation == 0)
		return;
	const int64_t start = c->start[i], end = start + c->dur[i];
	const uint32_t thread = idmap_get(&feed->trace.thread_ids, (uint64_t)c->thread[i]);
	struct launch *launch = feed_launch(feed, correlation);
	if (!launch)
		launch = feed_new_launch(feed, correlation);
	if (launch->start != FEED_NO_CALL && !outer_call(feed, launch, start, end, thread))
		return;
	if (launch->start == FEED_NO_CALL && launch->any_op &&
		start - launch->first_op_start > feed->late_seen_ns)
		feed->late_seen_ns = start - launch->first_op_start;
	launch->start = start;
	launch->end = end;
	launch->thread = thread;
	launch->name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]);
	launch->owner = owner;
}

/* Has the launch had its op already? It may also have been pushed out of the ring. */
static bool may_have_run(const struct feed *feed, uint64_t correlation)
{
	if (feed->dense)
		return kept_calls_have_run(feed->kept, correlation);
	const struct launch *launch = feed_launch(feed, correlation);
	if (launch)
		return launch->any_op;
	return feed->launches.added > feed->launches.room && correlation <= feed->newest_launch;
}

static void take_collective(struct feed *feed)
{
	const struct rows *row = &feed->collectives;
	uint64_t correlation = (uint64_t)rows_value(row, COLL_CORRELATION);
	if (correlation && may_have_run(feed, correlation))
		feed->late_collective = true;
	struct collective *coll = corr_ring_get(&feed->colls, correlation);
	if (coll) {
		coll->args.rows++;
		return;
	}
	coll = corr_ring_put(&feed->colls, correlation);
	feed->colls_seen[correlation / 64 % COLLS_SEEN] |= UINT64_C(1) << correlation % 64;
	struct coll_args *args = &coll->args;
	args->rows = 1;
	args->comm = idmap_get(&feed->trace.comm_ids, (uint64_t)rows_value(row, COLL_COMM));
	args->coll = (uint8_t)rows_value(row, COLL_KIND);
	args->bytes = rows_optional(row, COLL_BYTES, -1);
	args->out_bytes = rows_optional(row, COLL_OUT_BYTES, -1);
	args->has_sequence = (row->now->present >> COLL_SEQUENCE & 1) != 0;
	args->sequence = (uint64_t)rows_optional(row, COLL_SEQUENCE, 0);
}

static int note_long_load(struct feed *feed, const struct call_columns *c, uint32_t i)
{
	struct long_loads *loads = &feed->long_loads;
	const uint32_t name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]);
	if (loads->more || !(feed_call_mask(feed, name) & HOST_MASK(HOST_BIT_MODULE_LOAD)))
		return 0;
	loads->more = loads->n == WARMUP_LOADS_MOST;
	if (loads->more)
		return 0;
	if (room_for((void **)&loads->at, loads->n, &loads->room, 16, sizeof(*loads->at)) != 0)
		return -ENOMEM;
	loads->at[loads->n++] = c->start[i];
	return 0;
}

/* Reads the calls of the block in hand that begin at or before `until`. */
static int load_block(struct feed *feed, int64_t until)
{
	struct rows *calls = &feed->calls;
	const struct call_columns c = call_columns_of(calls);
	const uint32_t n = calls->now->n;
	uint32_t i = calls->now->at;
	do {
		uint32_t owner = 0;
		int error = 0;
		if (feed->on_call)
			error = tell_call(feed, &c, i, &owner);
		else if (c.dur[i] >= WARMUP_LONG_LOAD_NS)
			error = note_long_load(feed, &c, i);
		if (error)
			return error;
		take_call(feed, &c, i, owner);
		if (i + 1 == n || c.start[i + 1] >= calls->now_until) {
			feed->calls_left = rows_next(calls);
			return calls->error;
		}
		calls->now->at = ++i;
		calls->read++;
	} while (c.start[i] <= until);
	return 0;
}

/* So many rows from `from` on come before those of other blocks; one at least. */
static uint32_t count_first(const struct rows *rows, uint32_t from)
{
	const struct rows_block *block = rows->now;
	const int64_t *start = block->column[ROW_START];
	uint32_t to = from + 1;
	if (start[block->n - 1] < rows->now_until)
		return block->n - from;
	while (start[to] < rows->now_until)
		to++;
	return to - from;
}

/* Keeps `n` rows from `from` on; there is room. */
static int keep_rows(struct feed *feed, const struct call_columns *c, uint32_t from, uint32_t n)
{
	struct kept_calls *kept = feed->kept;
	struct kept_call *to = kept->at + kept->n;
	int64_t longest = 0;
	int error = 0;
	for (uint32_t i = from; i < from + n; i++)
		longest = c->dur[i] > longest ? c->dur[i] : longest;
	for (uint32_t i = from; i < from + n; i++)
		*to++ =
			(struct kept_call){.start = c->start[i],
							   .end = c->start[i] + c->dur[i],
							   .id = kept_calls_id(kept, (uint64_t)c->correlation[i]),
							   .name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]),
							   .thread = idmap_get(&feed->trace.thread_ids, (uint64_t)c->thread[i]),
							   .owner = c->stack ? (uint32_t)c->stack[i] : 0};
	kept->n += n;
	for (uint32_t i = from; longest >= WARMUP_LONG_LOAD_NS && !error && i < from + n; i++)
		if (c->dur[i] >= WARMUP_LONG_LOAD_NS)
			error = note_long_load(feed, c, i);
	return error;
}

/* Keeps the calls of the block in hand that come before those of others. */
static int keep_block(struct feed *feed)
{
	struct rows *calls = &feed->calls;
	struct kept_calls *kept = feed->kept;
	const struct call_columns c = call_columns_of(calls);
	const uint32_t n = count_first(calls, calls->now->at);
	if (n > kept->room - kept->n) {
		kept->far = true;
		return 0;
	}
	int error = keep_rows(feed, &c, calls->now->at, n);
	if (error)
		return error;
	calls->now->at += n - 1;
	calls->read += n - 1;
	feed->calls_left = rows_next(calls);
	return calls->error;
}

int feed_keep_calls(struct feed *feed)
{
	struct kept_calls *kept = feed->kept;
	const struct baton_reader *reader = &feed->trace.reader;
	size_t rows = 0;
	for (size_t i = 0; i < reader->n_entries; i++)
		rows += reader->entries[i].kind == BATON_CALL ? reader->entries[i].rows : 0;
	int error = kept_calls_begin(kept, rows);
	while (!error && feed->calls_left && !kept->far)
		error = keep_block(feed);
	feed->dense = !error && !feed->calls_left && kept_calls_place(kept, feed->trace.threads);
	return error;
}

int feed_load_more(struct feed *feed, int64_t until)
{
	int error = feed->calls.error;
	while (feed->collectives_left && rows_value(&feed->collectives, COLL_START) <= until) {
		take_collective(feed);
		feed->collectives_left = rows_next(&feed->collectives);
	}
	while (!error && feed->calls_left && rows_value(&feed->calls, CALL_START) <= until)
		error = load_block(feed, until);
	return error ? error : feed->collectives.error;
}

const struct coll_args *feed_find_collective(const struct feed *feed, uint64_t correlation)
{
	const struct collective *coll = corr_ring_get(&feed->colls, correlation);
	return coll ? &coll->args : NULL;
}

void feed_know_call(struct feed *feed, uint32_t name)
{
	uint32_t mask = host_names_call(feed->host_names, feed_text(feed, name));
	feed->names[name].call = (uint16_t)(mask | RANGE_KNOWN);
}

uint32_t feed_range_mask(struct feed *feed, uint32_t name, int category)
{
	uint16_t *mask = &feed->names[name].range[category & 7];
	if (!*mask)
		*mask = (uint16_t)(host_names_range(feed->host_names, feed_text(feed, name), category) |
						   RANGE_KNOWN);
	return *mask & ~(uint32_t)RANGE_KNOWN;
}

void feed_know_kernel(struct feed *feed, uint32_t name)
{
	struct name_facts *facts = &feed->names[name];
	struct text text = strings_get(&feed->trace.strings, name);
	class_cache_name(feed->classes, text.at, text.bytes, &facts->kernel);
	facts->classified = true;
}
