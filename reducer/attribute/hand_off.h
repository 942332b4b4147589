/* Whose the instants of a gap are that begins after an op of one thread and ends with a launch of
 * another (docs/ATTRIBUTION.md section 4.3): the thread that launched last still works, or it is
 * done and the next one is on. */
#ifndef ATTRIBUTE_HAND_OFF_H
#define ATTRIBUTE_HAND_OFF_H

#include "attribute/timeline.h"

struct hand_off { /* reused from gap to gap */
	/* the instants of the two threads, in order of time; none touches the next */
	struct host_parts next, last;
};

/* The stretch [from, to) to divide. */
struct hand_off_gap {
	const struct timeline *next; /* of the thread that launches after the stretch */
	const struct timeline *last; /* of the one that launched before it */
	int64_t from, to;
	int64_t next_record; /* begin of next's first call or range at or after `from` */
};

/* Fills hand_off->next and ->last, which cover the stretch exactly. Both timelines have advanced to
 * its end. 0 or -ENOMEM. */
int hand_off_divide(struct hand_off *hand_off, const struct hand_off_gap *gap);
void hand_off_free(struct hand_off *hand_off);

#endif
