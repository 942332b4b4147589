/* Brings rows to the timelines of their threads. */
#include "attribute/timeline.h"

#include "attribute/frame_class.h"
#include "attribute/lock_holder.h"
#include "attribute/think.h"

#include <errno.h>

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
	return error ? error : host_queue_push(&timelines->of[i][thread].ranges, &rec);
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
	return host_queue_push(&timelines->of[i][feed_thread(feed, row, OVERHEAD_THREAD)].overheads,
						   &rec);
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
	return host_queue_insert(&timelines->of[i][thread].scheds,
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
			error = host_queue_insert(scheds, &part);
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

/* feed->on_call: every call row goes to its thread's timeline. The ranges that hold where it
 * begins are known by then. */
int timelines_take_call(void *context, struct feed *feed, struct feed_call *call)
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
	return error ? error : host_queue_push(&timeline->calls, &rec);
}

/* Kept calls of a feed go to their threads. */
struct taking {
	struct timelines *timelines;
	struct feed *feed;
	uint32_t index;      /* of the feed */
	struct timeline *of; /* its timelines, by thread */
	struct think *think; /* NULL: another process's calls tell it */
	bool notes;          /* note_row() is needed */
};

/* Of a kept call the timeline gets the number. */
static inline int take_kept(const struct taking *t, struct kept_call *call, uint32_t number)
{
	const uint32_t thread = call->thread, stack = call->owner;
	const int64_t start = call->start;
	struct timeline *timeline = &t->of[thread];
	int error =
		owners_call(t->timelines->owners, t->index, thread, start, stack, call->name, &call->owner);
	if (!error && (!timeline->waits || timeline->caller == TIMELINE_NO_CALLER))
		error = await(t->timelines, t->index, timeline, start);
	if (!error && t->notes)
		error = note_row(t->timelines, t->index, thread, start);
	if (!error && t->think && feed_call_mask(t->feed, call->name) & HOST_MASK(HOST_BIT_DRIVING))
		error = think_add(t->think, thread, start, call->end);
	return error ? error : call_queue_push(&timeline->kept, number);
}

/* The begin of the next range that has not come to its thread. */
static int64_t next_range(const struct feed *feed)
{
	if (!feed->ranges_left)
		return INT64_MAX;
	return feed->ranges.now ? rows_value(&feed->ranges, RANGE_START) : INT64_MIN;
}

int timelines_take_kept(void *context, struct feed *feed, int64_t until)
{
	struct timelines *timelines = context;
	struct kept_calls *kept = feed->kept;
	const uint32_t i = (uint32_t)(feed - timelines->feeds);
	const struct taking taking = {.timelines = timelines,
								  .feed = feed,
								  .index = i,
								  .of = timelines->of[i],
								  .think = i == timelines->think_feed ? timelines->think : NULL,
								  .notes = feed->trace.tells_lock};
	int64_t range = next_range(feed);
	int error = 0;
	for (; !error && kept->next < kept->n && kept->at[kept->next].start <= until; kept->next++) {
		struct kept_call *call = &kept->at[kept->next];
		if (range <= call->start) {
			error = load_table(timelines, i, &feed->ranges, &feed->ranges_left, call->start,
							   take_range);
			range = next_range(feed);
		}
		if (!error)
			error = take_kept(&taking, call, kept->next);
	}
	return error;
}

int timelines_load_scheds(struct timelines *timelines, uint32_t feed, int64_t until)
{
	struct feed *s = &timelines->feeds[feed];
	return load_table(timelines, feed, &s->scheds, &s->scheds_left, until, take_sched);
}

int timelines_load_rows(struct timelines *timelines, uint32_t feed, int64_t until)
{
	struct feed *s = &timelines->feeds[feed];
	int error = load_table(timelines, feed, &s->ranges, &s->ranges_left, until, take_range);
	if (!error)
		error =
			load_table(timelines, feed, &s->overheads, &s->overheads_left, until, take_overhead);
	return error ? error : timelines_load_scheds(timelines, feed, until);
}
