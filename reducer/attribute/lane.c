#include "attribute/lane.h"

enum { PILED_UP = 8192, TIDY_EVERY = 64 };

static int queue_push(struct host_queue *q, const struct host_rec *rec)
{
	if (q->tail == q->room) {
		size_t n = q->tail - q->head;
		if (q->head > n) {
			memmove(q->at, q->at + q->head, n * sizeof(*q->at));
		} else {
			size_t room = q->room ? 2 * q->room : 256;
			struct host_rec *larger = realloc(q->at, room * sizeof(*larger));
			if (!larger)
				return -ENOMEM;
			memmove(larger, larger + q->head, n * sizeof(*larger));
			q->at = larger;
			q->room = room;
		}
		q->head = 0;
		q->tail = n;
	}
	q->at[q->tail++] = *rec;
	return 0;
}

/* source->on_call: every call row goes to its thread's lane. */
static int feed_call(void *context, struct source *source)
{
	struct lanes *lanes = context;
	const struct rows *row = &source->calls;
	struct host_rec rec = {.start = rows_value(row, CALL_START)};
	rec.end = rec.start + rows_value(row, CALL_DUR);
	rec.correlation = (uint64_t)rows_value(row, CALL_CORRELATION);
	rec.name = source_string(source, row, CALL_NAME);
	rec.mask = (uint16_t)source_call_mask(source, rec.name);
	uint32_t thread = source_thread(source, row, CALL_THREAD);
	return queue_push(&lanes->of[source - lanes->sources][thread].calls, &rec);
}

int lanes_open(struct lanes *lanes, struct source *sources, uint32_t n)
{
	lanes->sources = sources;
	lanes->n_sources = n;
	lanes->of = calloc(n, sizeof(*lanes->of));
	if (!lanes->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		lanes->of[i] = calloc(sources[i].trace.n_threads, sizeof(**lanes->of));
		if (!lanes->of[i])
			return -ENOMEM;
		for (uint32_t t = 0; t < sources[i].trace.n_threads; t++) {
			struct lane *lane = &lanes->of[i][t];
			lane->source = &sources[i];
			lane->thread = t;
			lane->last_sync.end = lane->last_driving_end = INT64_MIN;
		}
		sources[i].on_call = feed_call;
		sources[i].context = lanes;
	}
	return 0;
}

static void lane_free(struct lane *lane)
{
	free(lane->calls.at);
	free(lane->ranges.at);
	free(lane->overheads.at);
	free(lane->open);
}

void lanes_close(struct lanes *lanes)
{
	for (uint32_t i = 0; lanes->of && i < lanes->n_sources; i++) {
		for (uint32_t t = 0; lanes->of[i] && t < lanes->sources[i].trace.n_threads; t++)
			lane_free(&lanes->of[i][t]);
		free(lanes->of[i]);
		lanes->sources[i].on_call = NULL;
	}
	free(lanes->of);
	memset(lanes, 0, sizeof(*lanes));
}

static int feed_range(struct lanes *lanes, uint32_t i)
{
	struct source *source = &lanes->sources[i];
	const struct rows *row = &source->ranges;
	struct host_rec rec = {.start = rows_value(row, RANGE_START)};
	rec.end = rec.start + rows_value(row, RANGE_DUR);
	rec.name = source_string(source, row, RANGE_NAME);
	rec.category = (uint8_t)(rows_value(row, RANGE_CATEGORY) & 7);
	rec.mask = (uint16_t)source_range_mask(source, rec.name, rec.category);
	return queue_push(&lanes->of[i][source_thread(source, row, RANGE_THREAD)].ranges, &rec);
}

static int feed_overhead(struct lanes *lanes, uint32_t i)
{
	static const uint16_t masks[] = {0, HOST_MASK(HOST_BIT_PROFILER),
									 HOST_MASK(HOST_BIT_MODULE_LOAD),
									 HOST_MASK(HOST_BIT_QUEUE_FULL)};
	struct source *source = &lanes->sources[i];
	const struct rows *row = &source->overheads;
	int64_t kind = rows_value(row, OVERHEAD_KIND);
	struct host_rec rec = {.start = rows_value(row, OVERHEAD_START)};
	rec.end = rec.start + rows_value(row, OVERHEAD_DUR);
	rec.mask = kind < 4 ? masks[kind] : 0;
	if (row->now->present >> OVERHEAD_NAME & 1)
		rec.name = source_string(source, row, OVERHEAD_NAME);
	return queue_push(&lanes->of[i][source_thread(source, row, OVERHEAD_THREAD)].overheads, &rec);
}

static int load_table(struct lanes *lanes, uint32_t i, struct rows *rows, bool *left, int64_t until,
					  int (*feed)(struct lanes *, uint32_t))
{
	if (*left && !rows->now)
		*left = rows_next(rows);
	while (*left && rows_value(rows, ROW_START) <= until) {
		int error = feed(lanes, i);
		if (error)
			return error;
		*left = rows_next(rows);
	}
	return rows->error;
}

int lanes_load(struct lanes *lanes, int64_t until, int64_t done)
{
	bool tidy = lanes->loads++ % TIDY_EVERY == 0; /* threads that nobody asks for pile up rows */
	int error = 0;
	for (uint32_t i = 0; !error && i < lanes->n_sources; i++) {
		struct source *s = &lanes->sources[i];
		error = load_table(lanes, i, &s->ranges, &s->ranges_left, until, feed_range);
		if (!error)
			error = load_table(lanes, i, &s->overheads, &s->overheads_left, until, feed_overhead);
		for (uint32_t t = 0; tidy && !error && t < s->trace.n_threads; t++) {
			struct lane *lane = &lanes->of[i][t];
			size_t waiting = lane->calls.tail - lane->calls.head + lane->ranges.tail -
							 lane->ranges.head + lane->overheads.tail - lane->overheads.head;
			if (waiting > PILED_UP)
				error = lane_advance(lane, done, done);
		}
	}
	return error;
}

/* What only a later op could tell of a call: that it launched something, and whether that was a
 * pageable copy. */
static void resolve(const struct lane *lane, struct host_rec *rec)
{
	const struct launch *launch = source_launch(lane->source, rec->correlation);
	if (!launch || !launch->any_op || launch->start != rec->start || launch->end != rec->end ||
		launch->thread != lane->thread)
		return;
	rec->is_launch = true;
	rec->mask |= HOST_MASK(HOST_BIT_DRIVING);
	if (launch->pageable)
		rec->mask |= HOST_MASK(HOST_BIT_SYNC);
}

static bool sync_later(const struct host_rec *a, const struct host_rec *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	return a->start < b->start; /* the longer */
}

static void retire(struct lane *lane, const struct host_rec *rec)
{
	if (rec->mask & HOST_MASK(HOST_BIT_SYNC) && rec->mask & HOST_MASK(HOST_BIT_CALL) &&
		sync_later(rec, &lane->last_sync))
		lane->last_sync = *rec;
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING) && rec->end > lane->last_driving_end)
		lane->last_driving_end = rec->end;
}

static int open_push(struct lane *lane, const struct host_rec *rec)
{
	if (lane->n_open == lane->open_room) {
		size_t room = lane->open_room ? 2 * lane->open_room : 64;
		struct host_rec *larger = realloc(lane->open, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		lane->open = larger;
		lane->open_room = room;
	}
	lane->open[lane->n_open++] = *rec;
	return 0;
}

static int reach(struct lane *lane, struct host_queue *q, int64_t done, int64_t to)
{
	while (q->head < q->tail && q->at[q->head].start < to) {
		struct host_rec rec = q->at[q->head++];
		if (rec.correlation)
			resolve(lane, &rec);
		if (rec.end <= done)
			retire(lane, &rec);
		else if (open_push(lane, &rec) != 0)
			return -ENOMEM;
	}
	return 0;
}

int lane_advance(struct lane *lane, int64_t done, int64_t to)
{
	size_t kept = 0;
	for (size_t i = 0; i < lane->n_open; i++) {
		if (lane->open[i].end <= done)
			retire(lane, &lane->open[i]);
		else
			lane->open[kept++] = lane->open[i];
	}
	lane->n_open = kept;
	int error = reach(lane, &lane->calls, done, to);
	if (!error)
		error = reach(lane, &lane->ranges, done, to);
	return error ? error : reach(lane, &lane->overheads, done, to);
}

int64_t lane_next_begin(const struct lane *lane)
{
	int64_t call =
		lane->calls.head < lane->calls.tail ? lane->calls.at[lane->calls.head].start : INT64_MAX;
	int64_t range = lane->ranges.head < lane->ranges.tail ? lane->ranges.at[lane->ranges.head].start
														  : INT64_MAX;
	return call < range ? call : range;
}

const struct host_rec *lane_last_sync(const struct lane *lane, int64_t before)
{
	const struct host_rec *last = lane->last_sync.end != INT64_MIN ? &lane->last_sync : NULL;
	for (size_t i = 0; i < lane->n_open; i++) {
		const struct host_rec *rec = &lane->open[i];
		bool sync = rec->mask & HOST_MASK(HOST_BIT_SYNC) && rec->mask & HOST_MASK(HOST_BIT_CALL);
		if (sync && rec->end < before && (!last || sync_later(rec, last)))
			last = rec;
	}
	return last;
}
