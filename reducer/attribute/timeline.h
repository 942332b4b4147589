/* What the host threads of a device's processes did: one timeline per thread, filled in order of
 * time. To explain a gap, the engine asks what the owner thread was doing. Gaps come in order of
 * time, so a timeline only moves forward and forgets rows that no later gap needs. */
#ifndef ATTRIBUTE_TIMELINE_H
#define ATTRIBUTE_TIMELINE_H

#include "attribute/debt.h"
#include "attribute/host_parts.h"
#include "attribute/host_queue.h"
#include "attribute/owners.h"
#include "attribute/waiting.h"

#define UNSAMPLED_NS \
	3000000                /* three periods of the sampler, so at least two samples fall into it */
#define ONE_SLEEP_NS 20000 /* naps that are no further apart are one sleep */

#define TIMELINE_NO_CALLER UINT32_MAX

struct timeline {
	struct feed *feed;
	uint32_t thread; /* index in the trace; 0: overhead rows that apply to every thread */
	struct host_queue calls, ranges, overheads, scheds;
	struct call_queue kept; /* instead of `calls` where the feed's are kept */
	struct host_rec *open;  /* reached, and perhaps not ended */
	size_t n_open, open_room;
	struct debt *debt; /* the process's; not owned */
	/* its caller number in `debt`; TIMELINE_NO_CALLER before its first call row */
	uint32_t caller;
	bool waits;      /* it is in timelines.waiting */
	bool followable; /* it is in timelines.followable */
	int64_t due;     /* it is in its `later`, with this begin; INT64_MAX: no */
	/* Synchronising calls so far: their latest begin, the latest end of those that began earlier,
	 * and the latest end of those that began at that instant. */
	int64_t waits_begin, waits_before, waits_then;
	int64_t last_driving_end; /* INT64_MIN: none yet */
	int64_t last_row_end;     /* of its rows for which host_rec_tells(); INT64_MIN: none yet */
	int64_t last_record_end;  /* of its calls and ranges that are over; INT64_MIN: none yet */
	/* Its last sleep that is over, and those that may yet become one with it. */
	struct host_parts sleeps;
};

struct think;

struct followable { /* threads of a feed that another one may wait for now, in any order */
	uint32_t *at;
	uint32_t n;
	size_t room;
	struct waiting later; /* those that have rows, but none yet that matter */
};

struct timelines {
	struct feed *feeds;
	uint32_t n_feeds;
	struct timeline **of;                 /* per feed: an array by thread index */
	struct owners *owners;                /* not owned */
	struct frame_classes **frame_classes; /* per feed; NULL until a row needs it */
	struct debt *debts;                   /* per feed */
	/* per feed: threads with calls that are not reached yet */
	struct waiting *waiting;
	struct followable *followable; /* per feed; only of those that tell who waits for their lock */
	struct unowed_clock clock;     /* of the device */
	struct think *think;           /* not owned: takes the calls of one feed, think_feed */
	uint32_t think_feed;
	struct debt_horizon horizon;
	uint32_t loads;
};

/* Calls and ranges are passed on to `owners`. 0 or -ENOMEM. */
int timelines_open(struct timelines *timelines, struct feed *feeds, uint32_t n,
				   struct owners *owners, int64_t first_op_ns);
void timelines_close(struct timelines *timelines);

/* Reads ranges, overheads and sched rows that begin at or before `until`; the feeds read the calls
 * themselves. Threads with very many rows forget those that ended at or before `done`; all unowed
 * time before `done` has been noted. 0 or -errno. */
int timelines_load(struct timelines *timelines, int64_t until, int64_t done);

static inline struct timeline *timelines_of(const struct timelines *timelines, uint32_t feed,
											uint32_t thread)
{
	return &timelines->of[feed][thread];
}

/* Opens the rows that begin before `to` and drops those that ended at or before `done`. 0 or
 * -ENOMEM. */
int timeline_advance(struct timeline *timeline, int64_t done, int64_t to);
/* The begin of the first call or range not reached yet; INT64_MAX when there is none. */
int64_t timeline_next_begin(const struct timeline *timeline);
/* Advances every thread of a process that has a call before `to`, then settles the process's debt
 * up to `to`. 0 or -ENOMEM. */
int timelines_advance(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to);
/* Advances every followable thread of a process, and reads its sched rows up to `ahead_ns` after
 * `to`. Those that have no row between `done` - `ahead_ns` and there are not followable.
 * 0 or -errno. */
int timelines_advance_all(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to,
						  int64_t ahead_ns);
/* The part of timelines_unowed() that is needed when the clock is full: what began before is told;
 * what did not can wait. */
int timelines_tell_unowed(struct timelines *timelines, int64_t from);
/* Notes that the device was idle in [from, to), or only waited for other ranks. Such spans come in
 * order of time, and later questions are about instants after `from`. 0 or -ENOMEM. */
static inline int timelines_unowed(struct timelines *timelines, int64_t from, int64_t to)
{
	const bool full = unowed_clock_full(&timelines->clock);
	const int error = full ? timelines_tell_unowed(timelines, from) : 0;
	if (!error)
		unowed_clock_add(&timelines->clock, from, to);
	return error;
}

/* Does a sched row show that the thread was not asleep at `at`? */
bool timeline_awake(const struct timeline *timeline, int64_t at);

/* For timeline.c alone: timeline_rows.c brings the rows. */

/* feed->on_call: every call row goes to its thread's timeline. The ranges that hold where it
 * begins are known by then. 0 or -errno. */
int timelines_take_call(void *timelines, struct feed *feed, struct feed_call *call);
/* feed->on_kept: the same for kept calls. */
int timelines_take_kept(void *timelines, struct feed *feed, int64_t until);
/* The ranges, overheads and sched rows that begin at or before `until`; the second one: only the
 * sched rows. 0 or -errno. */
int timelines_load_rows(struct timelines *timelines, uint32_t feed, int64_t until);
int timelines_load_scheds(struct timelines *timelines, uint32_t feed, int64_t until);

#endif
