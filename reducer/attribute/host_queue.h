/* Rows of a host thread that its timeline has not reached yet, in order of begin. */
#ifndef ATTRIBUTE_HOST_QUEUE_H
#define ATTRIBUTE_HOST_QUEUE_H

#include "classify/host_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_rec { /* a call, range or overhead row, or a part of a sched row */
	int64_t start, end;
	uint64_t correlation;
	uint32_t name;
	uint32_t owner;   /* of a call, or of the place where a silent thread was; 0: unknown */
	uint16_t mask;    /* HOST_MASKs */
	uint8_t category; /* the category of a range; 0: a call */
	bool is_launch;   /* a call that launched some op */
	bool is_record;   /* a call or a range */
	/* of a sched row: */
	bool works; /* awake, in a row that is awake for at least half of its length */
	bool away;  /* asleep, and standing nowhere in the code: it waits for others */
	bool nap;   /* the same for most of its row, and not for Python's lock */
};

struct host_queue { /* rows that the timeline has not reached, by start */
	struct host_rec *at;
	size_t head, tail, room;
};

#define HOST_TELLS \
	(HOST_MASK(HOST_BIT_CALL) | HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE))

/* Does the row show what its thread was doing: a call, a range, a sample of a silent thread? */
static inline bool host_rec_tells(const struct host_rec *rec)
{
	return rec->end > rec->start && (rec->category || rec->mask & HOST_TELLS);
}

/* The same of calls that are kept (kept_calls.h): their numbers, for most are never asked for. */
struct call_queue {
	uint32_t *at;
	size_t head, tail, room;
};

static inline bool call_queue_any(const struct call_queue *q)
{
	return q->head < q->tail;
}

/* The parts of the next two that are needed now and then. */
int call_queue_reserve(struct call_queue *q);
int host_queue_reserve(struct host_queue *q);

/* Adds a row, which begins at or after the last one. 0 or -ENOMEM. */
static inline int host_queue_push(struct host_queue *q, const struct host_rec *rec)
{
	int error = q->tail == q->room ? host_queue_reserve(q) : 0;
	if (error)
		return error;
	q->at[q->tail++] = *rec;
	return 0;
}

static inline int call_queue_push(struct call_queue *q, uint32_t number)
{
	int error = q->tail == q->room ? call_queue_reserve(q) : 0;
	if (error)
		return error;
	q->at[q->tail++] = number;
	return 0;
}

/* The same for parts of rows: a later row's may begin before the last part of one before it. */
int host_queue_insert(struct host_queue *q, const struct host_rec *rec);

#endif
