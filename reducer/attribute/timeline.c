#include "attribute/timeline.h"

#include "base/room.h"
#include "base/saturate.h"
#include "attribute/frame_class.h"
#include "attribute/lock_holder.h"
#include "attribute/think.h"

#include <errno.h>
#include <stdlib.h>

enum { PILED_UP = 8192, TIDY_EVERY = 64 };

static int queue_reserve(struct host_queue *q)
{
	size_t n = q->tail - q->head;
	if (q->head <= n && room_for((void **)&q->at, q->tail, &q->room, 256, sizeof(*q->at)) != 0)
		return -ENOMEM;
	memmove(q->at, q->at + q->head, n * sizeof(*q->at));
	q->head = 0;
	q->tail = n;
	return 0;
}

static inline int queue_push(struct host_queue *q, const struct host_rec *rec)
{
	int error = q->tail == q->room ? queue_reserve(q) : 0;
	if (error)
		return error;
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

/* A row that begins at `begin` has come to a thread of a process that tells who waits for its lock.
 */
static inline int note_row(struct timelines *timelines, uint32_t feed, uint32_t thread,
						   int64_t begin)
{
	struct timeline *timeline = &timelines->of[feed][thread];
	if (!timelines->feeds[feed].trace.tells_lock || !thread || timeline->followable ||
		begin >= timeline->due)
		return 0;
	timeline->due = begin;
	return waiting_push(&timelines->followable[feed].later, begin, thread);
}

static void timeline_free(struct timeline *timeline)
{
	free(timeline->calls.at);
	free(timeline->ranges.at);
	free(timeline->overheads.at);
	free(timeline->scheds.at);
	free(timeline->open);
	host_parts_free(&timeline->sleeps);
}

void timelines_close(struct timelines *timelines)
{
	for (uint32_t i = 0; timelines->of && i < timelines->n_feeds; i++) {
		for (uint32_t t = 0; timelines->of[i] && t < timelines->feeds[i].trace.n_threads; t++)
			timeline_free(&timelines->of[i][t]);
		free(timelines->of[i]);
		timelines->feeds[i].on_call = NULL;
	}
	for (uint32_t i = 0; timelines->frame_classes && i < timelines->n_feeds; i++)
		frame_classes_close(timelines->frame_classes[i]);
	for (uint32_t i = 0; timelines->debts && i < timelines->n_feeds; i++)
		debt_close(&timelines->debts[i]);
	for (uint32_t i = 0; timelines->waiting && i < timelines->n_feeds; i++)
		waiting_close(&timelines->waiting[i]);
	for (uint32_t i = 0; timelines->followable && i < timelines->n_feeds; i++) {
		waiting_close(&timelines->followable[i].later);
		free(timelines->followable[i].at);
	}
	free(timelines->followable);
	free(timelines->frame_classes);
	free(timelines->waiting);
	free(timelines->debts);
	free(timelines->of);
	memset(timelines, 0, sizeof(*timelines));
}

static int take_range(struct timelines *timelines, uint32_t i)
{
	struct feed *feed = &timelines->feeds[i];
	const struct rows *row = &feed->ranges;
	struct host_rec rec = {.start = rows_value(row, RANGE_START), .is_record = true};
	rec.end = rec.start + rows_value(row, RANGE_DUR);
	rec.name = feed_string(feed, row, RANGE_NAME);
	rec.category = (uint8_t)(rows_value(row, RANGE_CATEGORY) & 7);
	rec.mask = (uint16_t)feed_range_mask(feed, rec.name, rec.category);
	uint32_t thread = feed_thread(feed, row, RANGE_THREAD);
	const uint64_t inputs = (uint64_t)rows_optional(row, RANGE_INPUTS, 0);
	struct open_range range = {rec.start, rec.end, rec.name, rec.category,
							   inputs ? idmap_get(&feed->trace.input_ids, inputs) : 0};
	int error = contexts_range(&timelines->owners->contexts, i, thread, &range);
	if (!error)
		error = note_row(timelines, i, thread, rec.start);
	return error ? error : queue_push(&timelines->of[i][thread].ranges, &rec);
}

static int take_overhead(struct timelines *timelines, uint32_t i)
{
	static const uint16_t masks[] = {0, HOST_MASK(HOST_BIT_PROFILER),
									 HOST_MASK(HOST_BIT_MODULE_LOAD),
									 HOST_MASK(HOST_BIT_QUEUE_FULL)};
	struct feed *feed = &timelines->feeds[i];
	const struct rows *row = &feed->overheads;
	int64_t kind = rows_value(row, OVERHEAD_KIND);
	struct host_rec rec = {.start = rows_value(row, OVERHEAD_START)};
	rec.end = rec.start + rows_value(row, OVERHEAD_DUR);
	rec.mask = kind < 4 ? masks[kind] : 0;
	if (row->now->present >> OVERHEAD_NAME & 1)
		rec.name = feed_string(feed, row, OVERHEAD_NAME);
	return queue_push(&timelines->of[i][feed_thread(feed, row, OVERHEAD_THREAD)].overheads, &rec);
}

/* A sched row whose thread is in a data loader is input, all of it; in a compiler a module
 * load. Thread 0 is nobody. */
static int take_class(struct timelines *timelines, uint32_t i, const struct frame_class *class,
					  uint32_t owner)
{
	struct feed *feed = &timelines->feeds[i];
	const struct rows *row = &feed->scheds;
	uint32_t thread = feed_thread(feed, row, SCHED_THREAD);
	int64_t start = rows_value(row, SCHED_START);
	if (!class->mask || !thread)
		return 0;
	return queue_insert(&timelines->of[i][thread].scheds,
						&(struct host_rec){.start = start,
										   .end = start + rows_value(row, SCHED_DUR),
										   .name = class->function,
										   .owner = owner,
										   .mask = (uint16_t) class->mask});
}

/* What a sched row is taken to mean: `part` is asleep, then without a core, then running. */
static int take_parts(struct timelines *timelines, uint32_t i, struct host_rec part)
{
	struct feed *feed = &timelines->feeds[i];
	const struct rows *row = &feed->scheds;
	uint64_t all = (uint64_t)rows_value(row, SCHED_DUR), left = all;
	uint64_t lengths[] = {(uint64_t)rows_value(row, SCHED_SLEPT),
						  (uint64_t)rows_value(row, SCHED_WAITED), left};
	static const uint16_t masks[] = {HOST_MASK(HOST_BIT_BLOCKED),
									 HOST_MASK(HOST_BIT_NO_CORE) | HOST_MASK(HOST_BIT_AWAKE),
									 HOST_MASK(HOST_BIT_AWAKE)};
	struct host_queue *scheds = &timelines->of[i][feed_thread(feed, row, SCHED_THREAD)].scheds;
	const uint64_t slept = lengths[0] < all ? lengths[0] : all;
	const bool away = part.away, nap = part.nap, works = all - slept >= slept;
	const uint32_t name = part.name;
	int error = 0;
	for (int n = 0; !error && n < 3; n++) {
		uint64_t ns = lengths[n] < left ? lengths[n] : left;
		part.end = part.start + (int64_t)ns;
		part.mask = masks[n];
		part.name = n == 0 ? name : 0;
		part.away = n == 0 && away;
		part.nap = n == 0 && nap && slept > all - slept;
		part.works = n > 0 && works;
		left -= ns;
		if (ns)
			error = queue_insert(scheds, &part);
		part.start = part.end;
	}
	return error;
}

static int take_sched(struct timelines *timelines, uint32_t i)
{
	const struct rows *row = &timelines->feeds[i].scheds;
	uint32_t owner, stack = (uint32_t)rows_optional(row, SCHED_STACK, 0);
	struct frame_class class = {0};
	int error = owners_stack(timelines->owners, i, stack, &owner);
	if (!error && stack)
		error = frame_class_find(&timelines->frame_classes[i], &timelines->feeds[i], stack, &class);
	if (!error)
		error = take_class(timelines, i, &class, owner);
	const bool away = !stack || class.hands_over;
	struct host_rec part = {.start = rows_value(row, SCHED_START),
							.owner = owner,
							.away = away,
							.nap = away && !rows_optional(row, SCHED_HOLDER, 0)};
	if (!error)
		error = lock_holder_name(&timelines->frame_classes[i], &timelines->feeds[i], &part.name);
	if (!error)
		error = note_row(timelines, i, feed_thread(&timelines->feeds[i], row, SCHED_THREAD),
						 rows_value(row, SCHED_START));
	return error ? error : take_parts(timelines, i, part);
}

static int load_table(struct timelines *timelines, uint32_t i, struct rows *rows, bool *left,
					  int64_t until, int (*fill)(struct timelines *, uint32_t))
{
	if (*left && !rows->now)
		*left = rows_next(rows);
	while (*left && rows_value(rows, ROW_START) <= until) {
		int error = fill(timelines, i);
		if (error)
			return error;
		*left = rows_next(rows);
	}
	return rows->error;
}

static int become_caller(struct timeline *timeline)
{
	int64_t caller = debt_caller(timeline->debt);
	if (caller < 0)
		return (int)caller;
	timeline->caller = (uint32_t)caller;
	return 0;
}

/* A call has come to the timeline. */
static int await(struct timelines *timelines, uint32_t feed, struct timeline *timeline,
				 int64_t begin)
{
	int error = timeline->caller == TIMELINE_NO_CALLER ? become_caller(timeline) : 0;
	if (!error && !timeline->waits)
		error = waiting_push(&timelines->waiting[feed], begin, timeline->thread);
	timeline->waits = !error;
	return error;
}

/* What resolve() finds of a call, where all ops are known. */
static inline void resolve_kept(unsigned flags, struct host_rec *rec)
{
	rec->correlation = 0;
	rec->is_launch = (flags & KEPT_LAUNCHED) != 0;
	rec->mask |= flags & KEPT_LAUNCHED ? HOST_MASK(HOST_BIT_DRIVING) : 0;
	rec->mask |= flags & KEPT_PAGEABLE ? HOST_MASK(HOST_BIT_SYNC) : 0;
}

/* feed->on_call: every call row goes to its thread's timeline. The ranges that hold where it
 * begins are known by then. */
static int take_call(void *context, struct feed *feed, struct feed_call *call)
{
	struct timelines *timelines = context;
	const uint32_t i = (uint32_t)(feed - timelines->feeds), thread = call->thread;
	struct host_rec rec = {.start = call->start,
						   .end = call->end,
						   .correlation = call->correlation,
						   .name = call->name,
						   .mask = (uint16_t)feed_call_mask(feed, call->name),
						   .is_record = true};
	bool ranges = feed->ranges_left &&
				  (!feed->ranges.now || rows_value(&feed->ranges, RANGE_START) <= rec.start);
	int error = 0;
	if (ranges)
		error = load_table(timelines, i, &feed->ranges, &feed->ranges_left, rec.start, take_range);
	if (!error)
		error =
			owners_call(timelines->owners, i, thread, rec.start, call->stack, rec.name, &rec.owner);
	call->owner = rec.owner;
	struct timeline *timeline = &timelines->of[i][thread];
	if (!error)
		error = await(timelines, i, timeline, rec.start);
	if (!error)
		error = note_row(timelines, i, thread, rec.start);
	if (!error && i == timelines->think_feed && rec.mask & HOST_MASK(HOST_BIT_DRIVING))
		error = think_add(timelines->think, thread, rec.start, rec.end);
	if (feed->joined)
		resolve_kept(feed->kept->flags[call - feed->kept->at], &rec);
	return error ? error : queue_push(&timeline->calls, &rec);
}

int timelines_open(struct timelines *timelines, struct feed *feeds, uint32_t n,
				   struct owners *owners, int64_t first_op_ns)
{
	timelines->owners = owners;
	timelines->feeds = feeds;
	timelines->n_feeds = n;
	timelines->of = calloc(n, sizeof(*timelines->of));
	timelines->frame_classes = calloc(n, sizeof(*timelines->frame_classes));
	timelines->debts = calloc(n, sizeof(*timelines->debts));
	timelines->waiting = calloc(n, sizeof(*timelines->waiting));
	timelines->followable = calloc(n, sizeof(*timelines->followable));
	timelines->clock.first = first_op_ns;
	if (!timelines->of || !timelines->frame_classes || !timelines->debts || !timelines->waiting ||
		!timelines->followable)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		debt_open(&timelines->debts[i], &timelines->clock);
		timelines->of[i] = calloc(feeds[i].trace.n_threads, sizeof(**timelines->of));
		if (!timelines->of[i])
			return -ENOMEM;
		for (uint32_t t = 0; t < feeds[i].trace.n_threads; t++) {
			struct timeline *timeline = &timelines->of[i][t];
			timeline->feed = &feeds[i];
			timeline->thread = t;
			timeline->debt = &timelines->debts[i];
			timeline->caller = TIMELINE_NO_CALLER;
			timeline->last_driving_end = timeline->last_row_end = INT64_MIN;
			timeline->last_record_end = INT64_MIN;
			timeline->due = INT64_MAX;
			timeline->waits_begin = timeline->waits_before = timeline->waits_then = INT64_MIN;
		}
		feeds[i].on_call = take_call;
		feeds[i].context = timelines;
	}
	return 0;
}

/* What only a later op could tell of a call: that it launched something, and whether that was a
 * pageable copy. */
static inline void resolve(const struct timeline *timeline, struct host_rec *rec)
{
	const struct launch *launch = feed_launch(timeline->feed, rec->correlation);
	if (!launch || !launch->any_op || launch->start != rec->start || launch->end != rec->end ||
		launch->thread != timeline->thread)
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
static bool is_part(struct timeline *timeline, const struct host_rec *rec)
{
	if (rec->start > timeline->waits_begin) {
		if (timeline->waits_then > timeline->waits_before)
			timeline->waits_before = timeline->waits_then;
		timeline->waits_begin = rec->start;
		timeline->waits_then = INT64_MIN;
	}
	if (rec->end > timeline->waits_then)
		timeline->waits_then = rec->end;
	return rec->start < timeline->waits_before;
}

/* In the file; 0: no record defines it. */
static uint32_t thread_id(const struct timeline *timeline)
{
	return timeline->thread ? timeline->feed->trace.threads[timeline->thread].id : 0;
}

/* A call has been reached: the process's debt is told. */
static inline int tell_debt(struct timeline *timeline, const struct host_rec *rec)
{
	int error = 0;
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING))
		error = debt_driven(timeline->debt, timeline->caller, rec->start);
	if (error || !costs_lead(rec) || is_part(timeline, rec))
		return error;
	return debt_add(timeline->debt,
					&(struct sync_call){.start = rec->start,
										.end = rec->end,
										.caller = timeline->caller,
										.thread = thread_id(timeline),
										.name = rec->name,
										.owner = rec->owner,
										.frees = rec->mask & HOST_MASK(HOST_BIT_FREE)});
}

bool timeline_awake(const struct timeline *timeline, int64_t at)
{
	for (size_t i = 0; i < timeline->n_open; i++)
		if (timeline->open[i].mask & HOST_MASK(HOST_BIT_AWAKE) && timeline->open[i].start <= at &&
			timeline->open[i].end > at)
			return true;
	return false;
}

static inline int retire(struct timeline *timeline, const struct host_rec *rec)
{
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING) && rec->end > timeline->last_driving_end)
		timeline->last_driving_end = rec->end;
	if (host_rec_tells(rec) && rec->end > timeline->last_row_end)
		timeline->last_row_end = rec->end;
	if (rec->is_record && rec->end > timeline->last_record_end)
		timeline->last_record_end = rec->end;
	return rec->nap ? host_parts_add(&timeline->sleeps, rec->start, rec->end) : 0;
}

/* Of the sleeps that are over the last one is kept, together with those that a nap which is not
 * over makes one with it: rows come by their begin. */
static void join_sleeps(struct timeline *timeline)
{
	struct host_parts *sleeps = &timeline->sleeps;
	int64_t earliest = INT64_MAX;
	size_t first = 0;
	if (sleeps->n < 2)
		return;
	for (size_t i = 0; i < timeline->n_open; i++)
		if (timeline->open[i].nap && timeline->open[i].start < earliest)
			earliest = timeline->open[i].start;
	host_parts_join(sleeps, ONE_SLEEP_NS);
	while (first + 1 < sleeps->n && saturate_add(sleeps->at[first].to, ONE_SLEEP_NS) < earliest)
		first++;
	sleeps->at[0] = (struct host_part){sleeps->at[first].from, sleeps->at[sleeps->n - 1].to};
	sleeps->n = 1;
}

static int open_push(struct timeline *timeline, const struct host_rec *rec)
{
	if (room_for((void **)&timeline->open, timeline->n_open, &timeline->open_room, 64,
				 sizeof(*timeline->open)) != 0)
		return -ENOMEM;
	timeline->open[timeline->n_open++] = *rec;
	return 0;
}

static int reach(struct timeline *timeline, struct host_queue *q, int64_t done, int64_t to)
{
	int error = 0;
	while (!error && q->head < q->tail && q->at[q->head].start < to) {
		struct host_rec *rec = &q->at[q->head++];
		if (rec->correlation)
			resolve(timeline, rec);
		if (q == &timeline->calls)
			error = tell_debt(timeline, rec);
		if (!error && rec->end <= done)
			error = retire(timeline, rec);
		else if (!error)
			error = open_push(timeline, rec);
	}
	return error;
}

int timeline_advance(struct timeline *timeline, int64_t done, int64_t to)
{
	size_t kept = 0;
	int error = 0;
	for (size_t i = 0; i < timeline->n_open; i++) {
		if (timeline->open[i].end > done)
			timeline->open[kept++] = timeline->open[i];
		else if (!error)
			error = retire(timeline, &timeline->open[i]);
	}
	timeline->n_open = kept;
	if (!error)
		error = reach(timeline, &timeline->calls, done, to);
	if (!error)
		error = reach(timeline, &timeline->ranges, done, to);
	if (!error) /* at `done` too: was the thread awake there? */
		error = reach(timeline, &timeline->scheds, done, to > done ? to : done + 1);
	if (!error)
		error = reach(timeline, &timeline->overheads, done, to);
	join_sleeps(timeline);
	return error;
}

int64_t timeline_next_begin(const struct timeline *timeline)
{
	int64_t call = timeline->calls.head < timeline->calls.tail
					   ? timeline->calls.at[timeline->calls.head].start
					   : INT64_MAX;
	int64_t range = timeline->ranges.head < timeline->ranges.tail
						? timeline->ranges.at[timeline->ranges.head].start
						: INT64_MAX;
	return call < range ? call : range;
}

int timelines_advance(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to)
{
	struct debt *debt = &timelines->debts[feed];
	struct waiting *waiting = &timelines->waiting[feed];
	int error = 0;
	for (uint32_t thread; !error && waiting_pop(waiting, to, &thread);) {
		struct timeline *timeline = timelines_of(timelines, feed, thread);
		const struct host_queue *calls = &timeline->calls;
		if (calls->head < calls->tail &&
			calls->at[calls->head].start < to) /* else it went by itself */
			error = timeline_advance(timeline, done, to);
		timeline->waits = calls->head < calls->tail;
		if (!error && timeline->waits)
			error = waiting_push(waiting, calls->at[calls->head].start, thread);
	}
	debt_expire(debt, debt_horizon(&timelines->horizon));
	return error ? error : debt_settle(debt, to);
}

int timelines_unowed(struct timelines *timelines, int64_t from, int64_t to)
{
	int error = 0;
	if (unowed_clock_full(
			&timelines->clock)) { /* what began before is told; what did not can wait */
		for (uint32_t i = 0; !error && i < timelines->n_feeds; i++)
			error = timelines_advance(timelines, i, from, from);
		unowed_clock_forget(&timelines->clock, from);
	}
	if (!error)
		unowed_clock_add(&timelines->clock, from, to);
	return error;
}

static size_t timeline_waiting(const struct timeline *timeline)
{
	return timeline->calls.tail - timeline->calls.head + timeline->ranges.tail -
		   timeline->ranges.head + timeline->overheads.tail - timeline->overheads.head +
		   timeline->scheds.tail - timeline->scheds.head;
}

/* Threads that nobody asks for pile up rows. */
static int tidy(struct timelines *timelines, uint32_t feed, int64_t done)
{
	uint32_t n = timelines->feeds[feed].trace.n_threads;
	bool calls = false;
	int error = 0;
	for (uint32_t t = 0; !error && t < n; t++) {
		struct timeline *timeline = timelines_of(timelines, feed, t);
		if (timeline_waiting(timeline) <= PILED_UP)
			continue;
		error = timeline_advance(timeline, done, done);
		calls = calls || timeline->caller != TIMELINE_NO_CALLER;
	}
	return calls && !error ? timelines_advance(timelines, feed, done, done) : error;
}

int timelines_load(struct timelines *timelines, int64_t until, int64_t done)
{
	bool tidies = timelines->loads++ % TIDY_EVERY == 0;
	int error = 0;
	for (uint32_t i = 0; !error && i < timelines->n_feeds; i++) {
		struct feed *s = &timelines->feeds[i];
		error = load_table(timelines, i, &s->ranges, &s->ranges_left, until, take_range);
		if (!error)
			error =
				load_table(timelines, i, &s->overheads, &s->overheads_left, until, take_overhead);
		if (!error)
			error = load_table(timelines, i, &s->scheds, &s->scheds_left, until, take_sched);
		if (!error && tidies)
			error = tidy(timelines, i, done);
	}
	return error;
}

static int64_t queue_begin(const struct host_queue *q)
{
	return q->head < q->tail ? q->at[q->head].start : INT64_MAX;
}

/* Adds the threads that have a row which begins at or before `until`. */
static int add_due(struct timelines *timelines, uint32_t feed, int64_t until)
{
	struct followable *all = &timelines->followable[feed];
	for (uint32_t thread; waiting_pop(&all->later, saturate_add(until, 1), &thread);) {
		struct timeline *timeline = timelines_of(timelines, feed, thread);
		timeline->due = INT64_MAX;
		if (timeline->followable)
			continue;
		if (room_for((void **)&all->at, all->n, &all->room, 16, sizeof(*all->at)) != 0)
			return -ENOMEM;
		all->at[all->n++] = thread;
		timeline->followable = true;
	}
	return 0;
}

/* Keeps a thread of which there is something after `done`, or soon after `until`; others wait for
 * their next row. */
static int keep_followable(struct followable *all, uint32_t *kept, struct timeline *timeline,
						   int64_t done, int64_t until)
{
	const int64_t record = timeline_next_begin(timeline), sched = queue_begin(&timeline->scheds);
	const int64_t next = record < sched ? record : sched;
	timeline->followable =
		timeline->n_open > 0 || timeline->last_record_end >= done || next <= until;
	if (timeline->followable)
		all->at[(*kept)++] = timeline->thread;
	if (timeline->followable || next >= timeline->due || next == INT64_MAX)
		return 0;
	timeline->due = next;
	return waiting_push(&all->later, next, timeline->thread);
}

int timelines_advance_all(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to,
						  int64_t ahead_ns)
{
	struct feed *s = &timelines->feeds[feed];
	struct followable *all = &timelines->followable[feed];
	const int64_t until = saturate_add(to, ahead_ns);
	uint32_t kept = 0;
	int error = load_table(timelines, feed, &s->scheds, &s->scheds_left, until, take_sched);
	if (!error)
		error = add_due(timelines, feed, until);
	for (uint32_t i = 0; !error && i < all->n; i++) {
		struct timeline *timeline = timelines_of(timelines, feed, all->at[i]);
		error = timeline_advance(timeline, done, to);
		if (!error)
			error = keep_followable(all, &kept, timeline, done - ahead_ns, until);
	}
	all->n = kept;
	return error;
}
