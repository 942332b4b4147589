/* What the host threads of a device's processes did: one timeline per thread, fed in order of time,
 * forgotten as the gaps move on. A gap asks what its owner was doing; gaps come in order of time,
 * so a timeline only moves forward. */
#ifndef ATTRIBUTE_TIMELINE_H
#define ATTRIBUTE_TIMELINE_H

#include "attribute/debt.h"
#include "attribute/owners.h"
#include "attribute/waiting.h"

struct host_rec { /* a call, range or overhead row */
	int64_t start, end;
	uint64_t correlation;
	uint32_t name;
	uint32_t owner;   /* of a call, or of where a silent thread was; 0: not known */
	uint16_t mask;    /* HOST_MASKs */
	uint8_t category; /* of a range; 0 for a call */
	bool is_launch;   /* a call that launched some op */
};

struct host_queue { /* rows not reached yet, by start */
	struct host_rec *at;
	size_t head, tail, room;
};

#define TIMELINE_NO_CALLER UINT32_MAX

struct timeline {
	struct feed *feed;
	uint32_t thread; /* index in the trace; 0: overhead rows that hold for every thread */
	struct host_queue calls, ranges, overheads, scheds;
	struct host_rec *open; /* reached, may still last */
	size_t n_open, open_room;
	struct debt *debt; /* of the process; not owned */
	uint32_t caller;   /* its number there; TIMELINE_NO_CALLER before its first call row */
	bool waits;        /* among those whose calls are to be reached */
	/* Synchronising calls: the latest end of those that began before waits_begin, and of those that
	 * began then. */
	int64_t waits_begin, waits_before, waits_then;
	int64_t last_driving_end; /* INT64_MIN: none yet */
	int64_t last_row_end;     /* of its rows that say something about it; likewise */
};

/* Does the row say that its thread did something then: a call, a range, a sample of a silent one?
 */
static inline bool host_rec_tells(const struct host_rec *rec)
{
	const uint32_t masks =
		HOST_MASK(HOST_BIT_CALL) | HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE);
	return rec->end > rec->start && (rec->category || rec->mask & masks);
}

struct timelines {
	struct feed *feeds;
	uint32_t n_feeds;
	struct timeline **of;                 /* per feed: an array by thread index */
	struct owners *owners;                /* not owned */
	struct frame_classes **frame_classes; /* per feed, NULL until a row asks */
	struct debt *debts;                   /* per feed */
	struct waiting *waiting;              /* likewise: threads with calls not reached yet */
	struct idle_clock clock;              /* of the device's gaps */
	struct debt_horizon horizon;
	uint32_t loads;
};

/* Calls and ranges are told to `owners` too. */
int timelines_open(struct timelines *timelines, struct feed *feeds, uint32_t n,
				   struct owners *owners, int64_t first_op_ns);
void timelines_close(struct timelines *timelines);

/* Takes in ranges and overheads that begin at or before `until` (calls come with the feeds' own
 * loading); forgets what ended at or before `done` where much has piled up. 0 or -errno. */
int timelines_load(struct timelines *timelines, int64_t until, int64_t done);

static inline struct timeline *timelines_of(const struct timelines *timelines, uint32_t feed,
											uint32_t thread)
{
	return &timelines->of[feed][thread];
}

/* Reaches rows that begin before `to`, drops those that ended at or before `done`. 0 or -ENOMEM. */
int timeline_advance(struct timeline *timeline, int64_t done, int64_t to);
/* The begin of the first row not reached yet; INT64_MAX when there is none. */
int64_t timeline_next_begin(const struct timeline *timeline);
/* The same for every thread of a process that has a call to be reached: its debt is known up to
 * `to`. */
int timelines_advance(struct timelines *timelines, uint32_t feed, int64_t done, int64_t to);
/* The device was idle; what comes lies after `from`. 0 or -ENOMEM. */
int timelines_idle(struct timelines *timelines, int64_t from, int64_t to);
/* Does a sched row say that the thread was not asleep at `at`? */
bool timeline_awake(const struct timeline *timeline, int64_t at);

#endif
