#include "attribute/hand_off.h"

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

enum whose {
	OWN_AWAKE, /* the next thread's in which it is awake */
	OWN_ALL,   /* also those in which it is asleep: the other one is over */
	OTHER_AWAY /* the last thread's in which that one only waits for others */
};

/* Adds what the next thread has of `within` by sched rows of `timeline`. */
static int add_rows(struct host_parts *parts, const struct timeline *timeline, enum whose whose,
					struct host_part within)
{
	int error = 0;
	for (size_t i = 0; !error && i < timeline->n_open; i++) {
		const struct host_rec *rec = &timeline->open[i];
		const uint32_t masks = whose == OWN_ALL
								   ? HOST_MASK(HOST_BIT_AWAKE) | HOST_MASK(HOST_BIT_BLOCKED)
								   : HOST_MASK(HOST_BIT_AWAKE);
		if (whose == OTHER_AWAY ? rec->away : (rec->mask & masks) != 0)
			error = host_parts_add(parts, rec->start > within.from ? rec->start : within.from,
								   rec->end < within.to ? rec->end : within.to);
	}
	return error;
}

/* The last thread is over from then on: the sampler, which looks at every thread, has not seen it
 * since. The stretch's end when it may be there. */
static int64_t last_is_over(const struct hand_off_gap *gap)
{
	int64_t over = gap->last->last_row_end;
	if (!gap->last->feed->sampled)
		return gap->to;
	for (size_t i = 0; i < gap->last->n_open; i++) {
		const struct host_rec *rec = &gap->last->open[i];
		if (host_rec_tells(rec) && rec->end > over)
			over = rec->end;
	}
	return over != INT64_MIN && gap->to - over >= UNSAMPLED_NS ? over : gap->to;
}

int hand_off_divide(struct hand_off *hand_off, const struct hand_off_gap *gap)
{
	struct host_parts *next = &hand_off->next, *last = &hand_off->last;
	const int64_t begins = next_works(gap), ends = clamp(last_works(gap), gap->from, begins);
	next->n = last->n = 0;
	int error = host_parts_add(next, begins, gap->to);
	if (!error)
		error = add_rows(next, gap->next, OWN_AWAKE, (struct host_part){gap->from, begins});
	if (!error)
		error = add_rows(next, gap->last, OTHER_AWAY, (struct host_part){ends, begins});
	const int64_t over = last_is_over(gap);
	if (!error)
		error = add_rows(next, gap->next, OWN_ALL,
						 (struct host_part){over > ends ? over : ends, begins});
	if (error)
		return error;
	host_parts_join(next, 0);
	int64_t at = gap->from;
	for (size_t i = 0; !error && i < next->n; i++) {
		error = host_parts_add(last, at, next->at[i].from);
		at = next->at[i].to;
	}
	return error ? error : host_parts_add(last, at, gap->to);
}

void hand_off_free(struct hand_off *hand_off)
{
	host_parts_free(&hand_off->next);
	host_parts_free(&hand_off->last);
}
