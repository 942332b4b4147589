#include "attribute/timeline.h"

#include "base/room.h"
#include "base/saturate.h"
#include "attribute/frame_class.h"

#include <errno.h>
#include <stdlib.h>

enum { PILED_UP = 8192, TIDY_EVERY = 64 };

static void timeline_free(struct timeline *timeline)
{
	free(timeline->calls.at);
	free(timeline->kept.at);
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
		timelines->feeds[i].on_kept = NULL;
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
		feeds[i].on_call = timelines_take_call;
		feeds[i].on_kept = timelines_take_kept;
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

/* A call or a range is over; `tells`: host_rec_tells(). */
static inline void pass_record(struct timeline *timeline, int64_t end, uint32_t mask, bool tells)
{
	if (mask & HOST_MASK(HOST_BIT_DRIVING) && end > timeline->last_driving_end)
		timeline->last_driving_end = end;
	if (tells && end > timeline->last_row_end)
		timeline->last_row_end = end;
	if (end > timeline->last_record_end)
		timeline->last_record_end = end;
}

static inline int retire(struct timeline *timeline, const struct host_rec *rec)
{
	if (rec->is_record)
		pass_record(timeline, rec->end, rec->mask, host_rec_tells(rec));
	else if (host_rec_tells(rec) && rec->end > timeline->last_row_end)
		timeline->last_row_end = rec->end;
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

/* What is known of a kept call that is reached. */
static inline struct host_rec kept_rec(const struct feed *feed, uint32_t number, uint32_t mask)
{
	const struct kept_call *call = &feed->kept->at[number];
	return (struct host_rec){.start = call->start,
							 .end = call->end,
							 .name = call->name,
							 .owner = call->owner,
							 .mask = (uint16_t)mask,
							 .is_launch = feed->kept->flags[number] & KEPT_LAUNCHED,
							 .is_record = true};
}

/* What resolve() finds of a call, where all ops are known. */
static inline uint32_t kept_mask(struct feed *feed, uint32_t number)
{
	const unsigned flags = feed->kept->flags[number];
	uint32_t mask = feed_call_mask(feed, feed->kept->at[number].name);
	mask |= flags & KEPT_LAUNCHED ? HOST_MASK(HOST_BIT_DRIVING) : 0;
	return mask | (flags & KEPT_PAGEABLE ? HOST_MASK(HOST_BIT_SYNC) : 0);
}

/* The same as reach(). Most calls are over before a gap asks for them: no row is made of those. */
static int reach_kept(struct timeline *timeline, int64_t done, int64_t to)
{
	const uint32_t waits = HOST_MASK(HOST_BIT_SYNC) | HOST_MASK(HOST_BIT_FREE);
	struct call_queue *q = &timeline->kept;
	struct feed *feed = timeline->feed;
	const struct kept_call *calls = feed->kept->at;
	int error = 0;
	while (!error && q->head < q->tail && calls[q->at[q->head]].start < to) {
		const uint32_t number = q->at[q->head++], mask = kept_mask(feed, number);
		const struct kept_call *call = &calls[number];
		if (mask & waits) {
			const struct host_rec rec = kept_rec(feed, number, mask);
			error = tell_debt(timeline, &rec);
		} else if (mask & HOST_MASK(HOST_BIT_DRIVING)) {
			error = debt_driven(timeline->debt, timeline->caller, call->start);
		}
		if (!error && call->end <= done) {
			pass_record(timeline, call->end, mask, call->end > call->start && mask & HOST_TELLS);
		} else if (!error) {
			const struct host_rec rec = kept_rec(feed, number, mask);
			error = open_push(timeline, &rec);
		}
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
	if (!error && call_queue_any(&timeline->kept))
		error = reach_kept(timeline, done, to);
	if (!error)
		error = reach(timeline, &timeline->ranges, done, to);
	if (!error) /* at `done` too: was the thread awake there? */
		error = reach(timeline, &timeline->scheds, done, to > done ? to : done + 1);
	if (!error)
		error = reach(timeline, &timeline->overheads, done, to);
	join_sleeps(timeline);
	return error;
}

static int64_t queue_begin(const struct host_queue *q)
{
	return q->head < q->tail ? q->at[q->head].start : INT64_MAX;
}

/* The begin of the next call; INT64_MAX: none. */
static int64_t next_call(const struct timeline *timeline)
{
	const struct call_queue *kept = &timeline->kept;
	return call_queue_any(kept) ? timeline->feed->kept->at[kept->at[kept->head]].start
								: queue_begin(&timeline->calls);
}

int64_t timeline_next_begin(const struct timeline *timeline)
{
	const int64_t call = next_call(timeline), range = queue_begin(&timeline->ranges);
	return call < range ? call : range;
}

int timelines_advance(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to)
{
	struct debt *debt = &timelines->debts[feed];
	struct waiting *waiting = &timelines->waiting[feed];
	int error = 0;
	for (uint32_t thread; !error && waiting_pop(waiting, to, &thread);) {
		struct timeline *timeline = timelines_of(timelines, feed, thread);
		if (next_call(timeline) < to) /* else it went by itself */
			error = timeline_advance(timeline, done, to);
		timeline->waits =
			timeline->calls.head < timeline->calls.tail || call_queue_any(&timeline->kept);
		if (!error && timeline->waits)
			error = waiting_push(waiting, next_call(timeline), thread);
	}
	debt_expire(debt, debt_horizon(&timelines->horizon));
	return error ? error : debt_settle(debt, to);
}

int timelines_tell_unowed(struct timelines *timelines, int64_t from)
{
	int error = 0;
	for (uint32_t i = 0; !error && i < timelines->n_feeds; i++)
		error = timelines_advance(timelines, i, from, from);
	unowed_clock_forget(&timelines->clock, from);
	return error;
}

static size_t timeline_waiting(const struct timeline *timeline)
{
	return timeline->calls.tail - timeline->calls.head + timeline->kept.tail - timeline->kept.head +
		   timeline->ranges.tail - timeline->ranges.head + timeline->overheads.tail -
		   timeline->overheads.head + timeline->scheds.tail - timeline->scheds.head;
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
		error = timelines_load_rows(timelines, i, until);
		if (!error && tidies)
			error = tidy(timelines, i, done);
	}
	return error;
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
	struct followable *all = &timelines->followable[feed];
	const int64_t until = saturate_add(to, ahead_ns);
	uint32_t kept = 0;
	int error = timelines_load_scheds(timelines, feed, until);
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
