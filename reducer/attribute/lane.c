#include "attribute/lane.h"

#include "base/room.h"
#include "attribute/frame_class.h"

enum { PILED_UP = 8192, TIDY_EVERY = 64 };

static int queue_push(struct host_queue *q, const struct host_rec *rec)
{
	if (q->tail == q->room) {
		size_t n = q->tail - q->head;
		if (q->head <= n && room_for((void **)&q->at, q->tail, &q->room, 256, sizeof(*q->at)) != 0)
			return -ENOMEM;
		memmove(q->at, q->at + q->head, n * sizeof(*q->at));
		q->head = 0;
		q->tail = n;
	}
	q->at[q->tail++] = *rec;
	return 0;
}

/* The same for parts of rows: a later row's may begin before the last part of one before it. */
static int queue_insert(struct host_queue *q, const struct host_rec *rec)
{
	int error = queue_push(q, rec);
	for (size_t i = q->tail - 1; !error && i > q->head && q->at[i - 1].start > rec->start; i--) {
		q->at[i] = q->at[i - 1];
		q->at[i - 1] = *rec;
	}
	return error;
}

static void lane_free(struct lane *lane)
{
	free(lane->calls.at);
	free(lane->ranges.at);
	free(lane->overheads.at);
	free(lane->scheds.at);
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
	for (uint32_t i = 0; lanes->frame_classes && i < lanes->n_sources; i++)
		frame_classes_close(lanes->frame_classes[i]);
	for (uint32_t i = 0; lanes->debts && i < lanes->n_sources; i++)
		debt_close(&lanes->debts[i]);
	for (uint32_t i = 0; lanes->waiting && i < lanes->n_sources; i++)
		waiting_close(&lanes->waiting[i]);
	free(lanes->frame_classes);
	free(lanes->waiting);
	free(lanes->debts);
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
	uint32_t thread = source_thread(source, row, RANGE_THREAD);
	struct open_range range = {rec.start, rec.end, rec.name, rec.category};
	int error = contexts_range(&lanes->owners->contexts, i, thread, &range);
	return error ? error : queue_push(&lanes->of[i][thread].ranges, &rec);
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

/* A sched row whose thread is in a data loader is input, all of it; in a compiler a module
 * load. Thread 0 is nobody. */
static int feed_stack(struct lanes *lanes, uint32_t i, uint32_t stack, uint32_t owner)
{
	struct source *source = &lanes->sources[i];
	const struct rows *row = &source->scheds;
	uint32_t thread = source_thread(source, row, SCHED_THREAD);
	struct host_rec rec = {.start = rows_value(row, SCHED_START), .owner = owner};
	struct frame_class class;
	rec.end = rec.start + rows_value(row, SCHED_DUR);
	if (!stack || !thread)
		return 0;
	int error = frame_class_find(&lanes->frame_classes[i], source, stack, &class);
	rec.mask = (uint16_t) class.mask;
	rec.name = class.function;
	return error || !rec.mask ? error : queue_insert(&lanes->of[i][thread].scheds, &rec);
}

/* A sched row becomes what it is taken to mean: asleep, then without a core, then running. */
static int feed_sched(struct lanes *lanes, uint32_t i)
{
	struct source *source = &lanes->sources[i];
	const struct rows *row = &source->scheds;
	uint64_t left = (uint64_t)rows_value(row, SCHED_DUR);
	uint64_t parts[] = {(uint64_t)rows_value(row, SCHED_SLEPT),
						(uint64_t)rows_value(row, SCHED_WAITED), left};
	static const uint16_t masks[] = {HOST_MASK(HOST_BIT_BLOCKED),
									 HOST_MASK(HOST_BIT_NO_CORE) | HOST_MASK(HOST_BIT_AWAKE),
									 HOST_MASK(HOST_BIT_AWAKE)};
	struct lane *lane = &lanes->of[i][source_thread(source, row, SCHED_THREAD)];
	int64_t at = rows_value(row, SCHED_START);
	uint32_t owner, stack = (uint32_t)rows_optional(row, SCHED_STACK, 0);
	int error = owners_stack(lanes->owners, i, stack, &owner);
	if (!error)
		error = feed_stack(lanes, i, stack, owner);
	for (int part = 0; !error && part < 3; part++) {
		uint64_t ns = parts[part] < left ? parts[part] : left;
		struct host_rec rec = {
			.start = at, .end = at + (int64_t)ns, .owner = owner, .mask = masks[part]};
		left -= ns;
		at = rec.end;
		if (ns)
			error = queue_insert(&lane->scheds, &rec);
	}
	return error;
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

static int become_caller(struct lane *lane)
{
	int64_t caller = debt_caller(lane->debt);
	if (caller < 0)
		return (int)caller;
	lane->caller = (uint32_t)caller;
	return 0;
}

/* A call has come to the lane. */
static int await(struct lanes *lanes, uint32_t source, struct lane *lane, int64_t begin)
{
	int error = lane->caller == LANE_NO_CALLER ? become_caller(lane) : 0;
	if (!error && !lane->waits)
		error = waiting_push(&lanes->waiting[source], begin, lane->thread);
	lane->waits = !error;
	return error;
}

/* source->on_call: every call row goes to its thread's lane. The ranges that hold where it begins
 * are known by then. */
static int feed_call(void *context, struct source *source, uint32_t *owner)
{
	struct lanes *lanes = context;
	const struct rows *row = &source->calls;
	uint32_t i = (uint32_t)(source - lanes->sources);
	struct host_rec rec = {.start = rows_value(row, CALL_START)};
	rec.end = rec.start + rows_value(row, CALL_DUR);
	rec.correlation = (uint64_t)rows_value(row, CALL_CORRELATION);
	rec.name = source_string(source, row, CALL_NAME);
	rec.mask = (uint16_t)source_call_mask(source, rec.name);
	uint32_t thread = source_thread(source, row, CALL_THREAD);
	uint32_t stack = (uint32_t)rows_optional(row, CALL_STACK, 0);
	bool ranges = source->ranges_left &&
				  (!source->ranges.now || rows_value(&source->ranges, RANGE_START) <= rec.start);
	int error = 0;
	if (ranges)
		error = load_table(lanes, i, &source->ranges, &source->ranges_left, rec.start, feed_range);
	if (!error)
		error = owners_call(lanes->owners, i, thread, rec.start, stack, rec.name, &rec.owner);
	*owner = rec.owner;
	struct lane *lane = &lanes->of[i][thread];
	if (!error)
		error = await(lanes, i, lane, rec.start);
	return error ? error : queue_push(&lane->calls, &rec);
}

int lanes_open(struct lanes *lanes, struct source *sources, uint32_t n, struct owners *owners,
			   int64_t first_op_ns)
{
	lanes->owners = owners;
	lanes->sources = sources;
	lanes->n_sources = n;
	lanes->of = calloc(n, sizeof(*lanes->of));
	lanes->frame_classes = calloc(n, sizeof(*lanes->frame_classes));
	lanes->debts = calloc(n, sizeof(*lanes->debts));
	lanes->waiting = calloc(n, sizeof(*lanes->waiting));
	lanes->clock.first = first_op_ns;
	if (!lanes->of || !lanes->frame_classes || !lanes->debts || !lanes->waiting)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		debt_open(&lanes->debts[i], &lanes->clock);
		lanes->of[i] = calloc(sources[i].trace.n_threads, sizeof(**lanes->of));
		if (!lanes->of[i])
			return -ENOMEM;
		for (uint32_t t = 0; t < sources[i].trace.n_threads; t++) {
			struct lane *lane = &lanes->of[i][t];
			lane->source = &sources[i];
			lane->thread = t;
			lane->debt = &lanes->debts[i];
			lane->caller = LANE_NO_CALLER;
			lane->last_driving_end = lane->last_row_end = INT64_MIN;
			lane->waits_begin = lane->waits_before = lane->waits_then = INT64_MIN;
		}
		sources[i].on_call = feed_call;
		sources[i].context = lanes;
	}
	return 0;
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

/* A call that kept its thread waiting for the device. */
static bool costs_lead(const struct host_rec *rec)
{
	return rec->mask & HOST_MASK(HOST_BIT_CALL) && rec->end > rec->start &&
		   rec->mask & (HOST_MASK(HOST_BIT_SYNC) | HOST_MASK(HOST_BIT_FREE));
}

/* A synchronising call that began in another one is that one's part. Calls come by their begin. */
static bool is_part(struct lane *lane, const struct host_rec *rec)
{
	if (rec->start > lane->waits_begin) {
		if (lane->waits_then > lane->waits_before)
			lane->waits_before = lane->waits_then;
		lane->waits_begin = rec->start;
		lane->waits_then = INT64_MIN;
	}
	if (rec->end > lane->waits_then)
		lane->waits_then = rec->end;
	return rec->start < lane->waits_before;
}

/* A call has been reached: the process's debt is told. */
static int tell_debt(struct lane *lane, const struct host_rec *rec)
{
	int error = 0;
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING))
		error = debt_driven(lane->debt, lane->caller, rec->start);
	if (error || !costs_lead(rec) || is_part(lane, rec))
		return error;
	return debt_add(lane->debt, &(struct sync_call){.start = rec->start,
													.end = rec->end,
													.caller = lane->caller,
													.thread = lane->thread,
													.name = rec->name,
													.owner = rec->owner,
													.frees = rec->mask & HOST_MASK(HOST_BIT_FREE)});
}

bool lane_awake(const struct lane *lane, int64_t at)
{
	for (size_t i = 0; i < lane->n_open; i++)
		if (lane->open[i].mask & HOST_MASK(HOST_BIT_AWAKE) && lane->open[i].start <= at &&
			lane->open[i].end > at)
			return true;
	return false;
}

static void retire(struct lane *lane, const struct host_rec *rec)
{
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING) && rec->end > lane->last_driving_end)
		lane->last_driving_end = rec->end;
	if (host_rec_tells(rec) && rec->end > lane->last_row_end)
		lane->last_row_end = rec->end;
}

static int open_push(struct lane *lane, const struct host_rec *rec)
{
	if (room_for((void **)&lane->open, lane->n_open, &lane->open_room, 64, sizeof(*lane->open)) !=
		0)
		return -ENOMEM;
	lane->open[lane->n_open++] = *rec;
	return 0;
}

static int reach(struct lane *lane, struct host_queue *q, int64_t done, int64_t to)
{
	int error = 0;
	while (!error && q->head < q->tail && q->at[q->head].start < to) {
		struct host_rec rec = q->at[q->head++];
		if (rec.correlation)
			resolve(lane, &rec);
		if (q == &lane->calls)
			error = tell_debt(lane, &rec);
		if (rec.end <= done)
			retire(lane, &rec);
		else if (!error)
			error = open_push(lane, &rec);
	}
	return error;
}

int lane_advance(struct lane *lane, int64_t done, int64_t to)
{
	size_t kept = 0;
	for (size_t i = 0; i < lane->n_open; i++) {
		if (lane->open[i].end > done)
			lane->open[kept++] = lane->open[i];
		else
			retire(lane, &lane->open[i]);
	}
	lane->n_open = kept;
	int error = reach(lane, &lane->calls, done, to);
	if (!error)
		error = reach(lane, &lane->ranges, done, to);
	if (!error) /* at `done` too: was the thread awake there? */
		error = reach(lane, &lane->scheds, done, to > done ? to : done + 1);
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

int lanes_advance(struct lanes *lanes, uint32_t source, int64_t done, int64_t to)
{
	struct debt *debt = &lanes->debts[source];
	struct waiting *waiting = &lanes->waiting[source];
	int error = 0;
	for (uint32_t thread; !error && waiting_pop(waiting, to, &thread);) {
		struct lane *lane = lanes_lane(lanes, source, thread);
		const struct host_queue *calls = &lane->calls;
		if (calls->head < calls->tail &&
			calls->at[calls->head].start < to) /* else it went by itself */
			error = lane_advance(lane, done, to);
		lane->waits = calls->head < calls->tail;
		if (!error && lane->waits)
			error = waiting_push(waiting, calls->at[calls->head].start, thread);
	}
	debt_expire(debt, debt_horizon(&lanes->horizon));
	return error ? error : debt_settle(debt, to);
}

int lanes_idle(struct lanes *lanes, int64_t from, int64_t to)
{
	int error = 0;
	if (idle_clock_full(&lanes->clock)) { /* what began before is told; what did not can wait */
		for (uint32_t i = 0; !error && i < lanes->n_sources; i++)
			error = lanes_advance(lanes, i, from, from);
		idle_clock_forget(&lanes->clock, from);
	}
	if (!error)
		idle_clock_add(&lanes->clock, from, to);
	return error;
}

static size_t lane_waiting(const struct lane *lane)
{
	return lane->calls.tail - lane->calls.head + lane->ranges.tail - lane->ranges.head +
		   lane->overheads.tail - lane->overheads.head + lane->scheds.tail - lane->scheds.head;
}

/* Threads that nobody asks for pile up rows. */
static int tidy(struct lanes *lanes, uint32_t source, int64_t done)
{
	uint32_t n = lanes->sources[source].trace.n_threads;
	bool calls = false;
	int error = 0;
	for (uint32_t t = 0; !error && t < n; t++) {
		struct lane *lane = lanes_lane(lanes, source, t);
		if (lane_waiting(lane) <= PILED_UP)
			continue;
		error = lane_advance(lane, done, done);
		calls = calls || lane->caller != LANE_NO_CALLER;
	}
	return calls && !error ? lanes_advance(lanes, source, done, done) : error;
}

int lanes_load(struct lanes *lanes, int64_t until, int64_t done)
{
	bool tidies = lanes->loads++ % TIDY_EVERY == 0;
	int error = 0;
	for (uint32_t i = 0; !error && i < lanes->n_sources; i++) {
		struct source *s = &lanes->sources[i];
		error = load_table(lanes, i, &s->ranges, &s->ranges_left, until, feed_range);
		if (!error)
			error = load_table(lanes, i, &s->overheads, &s->overheads_left, until, feed_overhead);
		if (!error)
			error = load_table(lanes, i, &s->scheds, &s->scheds_left, until, feed_sched);
		if (!error && tidies)
			error = tidy(lanes, i, done);
	}
	return error;
}
