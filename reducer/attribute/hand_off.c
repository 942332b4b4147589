#include "attribute/hand_off.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* From then on the next thread works: its first record begins, or it is awake most of the time. */
static int64_t next_works(const struct hand_off_gap *gap)
{
	int64_t from = gap->next_record;
	for (size_t i = 0; i < gap->next->n_open; i++) {
		const struct host_rec *rec = &gap->next->open[i];
		if (rec->works && rec->end > gap->from && rec->start < from)
			from = rec->start;
	}
	return clamp(from, gap->from, gap->to);
}

/* Until then the last thread works: the last instant at which one of its calls or ranges begins or
 * ends, or the end of the stretch when it is in a call there. */
static int64_t last_works(const struct hand_off_gap *gap)
{
	int64_t until = timeline_next_begin(gap->last) == gap->to ? gap->to : gap->from;
	for (size_t i = 0; i < gap->last->n_open; i++) {
		const struct host_rec *rec = &gap->last->open[i];
		int64_t at = rec->end <= gap->to                    ? rec->end
					 : rec->mask & HOST_MASK(HOST_BIT_CALL) ? gap->to
															: rec->start;
		if (rec->is_record && at > until)
			until = at;
	}
	return until;
}

static int add_part(struct host_parts *parts, int64_t from, int64_t to)
{
	if (from >= to)
		return 0;
	if (room_for((void **)&parts->at, parts->n, &parts->room, 4, sizeof(*parts->at)) != 0)
		return -ENOMEM;
	parts->at[parts->n++] = (struct host_part){from, to};
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct host_part *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/* Brings them in order; those that touch become one. */
static void join(struct host_parts *parts)
{
	size_t n = 0;
	if (parts->n > 1)
		qsort(parts->at, parts->n, sizeof(*parts->at), by_begin);
	for (size_t i = 0; i < parts->n; i++) {
		struct host_part part = parts->at[i];
		if (n == 0 || part.from > parts->at[n - 1].to)
			parts->at[n++] = part;
		else if (part.to > parts->at[n - 1].to)
			parts->at[n - 1].to = part.to;
	}
	parts->n = n;
}

/* Adds what the next thread has of [from, to) by sched rows of `timeline`: its own in which it is
 * awake, or the last thread's in which that one only waits for others. */
static int add_rows(struct host_parts *parts, const struct timeline *timeline, bool own,
					struct host_part within)
{
	int error = 0;
	for (size_t i = 0; !error && i < timeline->n_open; i++) {
		const struct host_rec *rec = &timeline->open[i];
		if (own ? rec->mask & HOST_MASK(HOST_BIT_AWAKE) : rec->away)
			error = add_part(parts, rec->start > within.from ? rec->start : within.from,
							 rec->end < within.to ? rec->end : within.to);
	}
	return error;
}

int hand_off_divide(struct hand_off *hand_off, const struct hand_off_gap *gap)
{
	struct host_parts *next = &hand_off->next, *last = &hand_off->last;
	const int64_t begins = next_works(gap), ends = clamp(last_works(gap), gap->from, begins);
	next->n = last->n = 0;
	int error = add_part(next, begins, gap->to);
	if (!error)
		error = add_rows(next, gap->next, true, (struct host_part){gap->from, begins});
	if (!error)
		error = add_rows(next, gap->last, false, (struct host_part){ends, begins});
	if (error)
		return error;
	join(next);
	int64_t at = gap->from;
	for (size_t i = 0; !error && i < next->n; i++) {
		error = add_part(last, at, next->at[i].from);
		at = next->at[i].to;
	}
	return error ? error : add_part(last, at, gap->to);
}

void hand_off_free(struct hand_off *hand_off)
{
	free(hand_off->next.at);
	free(hand_off->last.at);
	*hand_off = (struct hand_off){0};
}
