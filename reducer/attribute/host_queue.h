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

/* Does the row show what its thread was doing: a call, a range, a sample of a silent thread? */
static inline bool host_rec_tells(const struct host_rec *rec)
{
	const uint32_t masks =
		HOST_MASK(HOST_BIT_CALL) | HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE);
	return rec->end > rec->start && (rec->category || rec->mask & masks);
}

/* The part of host_queue_push() that is needed now and then. */
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

/* The same for parts of rows: a later row's may begin before the last part of one before it. */
int host_queue_insert(struct host_queue *q, const struct host_rec *rec);

#endif
