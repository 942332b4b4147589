/* A thread that makes records is seldom away for a whole look of the sampler, but it may be so most
 * of the time: waiting for Python's lock or for a core again and again. Its sched rows are for the
 * stretches of its records that were the longest (baton/away.h). They are written one look later,
 * because the kernel notes that a thread waited when it gets its turn. Of the sampler's thread. */
#ifndef SHIM_BUSY_H
#define SHIM_BUSY_H

#include "sources/silence/holder.h"

#include <baton/away.h>

struct baton_lane;
struct lane_owner;

struct busy {
	struct baton_away away;
	uint64_t slept_ns, waited_ns; /* in its time */
	uint64_t ticks, ns;           /* how long that was */
	struct holder holder;
	int64_t stack_ns;  /* when the holder's stack was taken */
	int64_t locked_ns; /* when it was last met waiting for Python's lock; 0: it was not */
	bool locked;       /* at that time or lately */
};

/* What is seen of a thread between two looks. */
struct busy_look {
	const struct baton_lane *lane;
	const struct lane_owner *owner;
	uint32_t tid;
	int64_t now_ns;
	uint64_t heads[2], ticks[2]; /* at the look before and at this one */
	uint64_t ns, slept_ns, waited_ns;
};

void busy_take(struct busy *busy, const struct busy_look *look);
/* So much of its sleep was found to be something else: it ran, or waited for a core. */
void busy_late(struct busy *busy, uint64_t late_ns, uint64_t waited_ns);
/* Its time `before` the last look belongs to a silence, which has so much of what it was away. */
void busy_fell_silent(struct busy *busy, const struct baton_stretch *before, uint64_t slept_ns,
					  uint64_t waited_ns);
/* Writes its rows, and forgets them. */
void busy_put(struct busy *busy, uint32_t thread);

#endif
