/* Where a thread that makes records was asleep or without a core: schedstat says how long between
 * two looks at it, its records say in which stretches. Waiting makes a stretch long, so the longest
 * ones have it. The recorder's sampler and the simulator write sched rows (docs/FORMAT.md section
 * 4) for those stretches. */
#ifndef BATON_AWAY_H
#define BATON_AWAY_H

#include <stddef.h>
#include <stdint.h>

enum {
	BATON_AWAY_STRETCHES = 4,           /* between two looks at most */
	BATON_AWAY_LEAST_NS = 100000,       /* less between two looks is not worth rows */
	BATON_LOCK_REMEMBERED_NS = 10000000 /* a thread that was met waiting for Python's lock does so
										 * again and again, and a look meets few of the waits */
};

struct baton_stretch {
	uint64_t begin, end;
	uint64_t away; /* how much of it the thread was away */
};

struct baton_away { /* the longest stretches since the last look, in order of time */
	struct baton_stretch at[BATON_AWAY_STRETCHES];
	unsigned n;
};

static inline uint64_t baton_stretch_length(const struct baton_stretch *s)
{
	return s->end - s->begin;
}

static inline unsigned baton_away_shortest(const struct baton_away *a)
{
	unsigned shortest = 0;
	for (unsigned i = 1; i < a->n; i++)
		if (baton_stretch_length(&a->at[i]) < baton_stretch_length(&a->at[shortest]))
			shortest = i;
	return shortest;
}

/* The next stretch, in order of time: in a call or between two. */
static inline void baton_away_add(struct baton_away *a, uint64_t begin, uint64_t end)
{
	const struct baton_stretch stretch = {begin, end, 0};
	if (end <= begin)
		return;
	if (a->n == BATON_AWAY_STRETCHES) {
		const unsigned shortest = baton_away_shortest(a);
		if (baton_stretch_length(&a->at[shortest]) >= end - begin)
			return;
		for (unsigned i = shortest + 1; i < a->n; i++)
			a->at[i - 1] = a->at[i];
		a->n--;
	}
	a->at[a->n++] = stretch;
}

/* Gives `away` to the stretches, the longest first, as far as there is room. A stretch that gets
 * nothing was all running. */
static inline void baton_away_divide(struct baton_away *a, uint64_t away)
{
	for (unsigned turn = 0; turn < a->n && away; turn++) {
		struct baton_stretch *longest = NULL;
		for (unsigned i = 0; i < a->n; i++)
			if (!a->at[i].away &&
				(!longest || baton_stretch_length(&a->at[i]) > baton_stretch_length(longest)))
				longest = &a->at[i];
		const uint64_t length = baton_stretch_length(longest);
		longest->away = away < length ? away : length;
		away -= longest->away;
	}
}

#endif
