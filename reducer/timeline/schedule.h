/* What waits for what in a step, found once in the pattern of a timeline (docs/STRAGGLERS.md,
 * "Order"). An operation begins when all that it waits for has ended; the members of a join end
 * only after all of them have begun. */
#ifndef TIMELINE_SCHEDULE_H
#define TIMELINE_SCHEDULE_H

#include "timeline/timeline.h"

#define NO_JOIN UINT32_MAX

struct list { /* rows of numbers: those of row i begin at from[i] and end before from[i + 1] */
	uint32_t *from;
	uint32_t *at;
};

struct schedule {
	const struct timeline *timeline;
	struct list waits;   /* of each operation: the operations that it waits for */
	uint32_t n_joins;    /* of several operations, or over data-parallel ranks */
	uint32_t *join_of;   /* of each operation; NO_JOIN: it ends by itself */
	struct list members; /* of each join */
	bool *over_dp;       /* a join has the members of all data-parallel ranks */
	uint32_t n_units;    /* a unit is a join, or an operation without one */
	uint32_t *order;     /* the first operation of each unit, none before what it waits for */
};

/* 0; -EBADMSG: `trouble` says what does not fit; -ENOMEM. */
int schedule_make(const struct timeline *timeline, struct schedule *schedule,
				  char trouble[OP_TROUBLE_BYTES]);
void schedule_free(struct schedule *schedule);

#endif
