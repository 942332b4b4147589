/* The least time between a launch and the start of its work, from whatever comes first. A GPU's
 * clock that runs early shows as work that starts before its launch: then the floor is negative.
 * One record with a wrong time makes no floor: two others have to be near it. */
#ifndef BASE_LAG_FLOOR_H
#define BASE_LAG_FLOOR_H

#include <stdint.h>

enum {
	LAG_FLOOR_KEPT = 16,
	LAG_FLOOR_NEAR_NS = 10000,    /* so near two others have to be */
	LAG_FLOOR_REACH_NS = 1000000, /* no clock is taken to run early by more */
	LAG_FLOOR_USUAL_NS = 4000     /* what a launch on an idle GPU takes at least */
};

struct lag_floor {
	int64_t least[LAG_FLOOR_KEPT]; /* the smallest so far, ascending */
	uint32_t n;
};

void lag_floor_put(struct lag_floor *floor, int64_t lag_ns);

static inline void lag_floor_add(struct lag_floor *floor, int64_t lag_ns)
{
	if (floor->n < LAG_FLOOR_KEPT || lag_ns < floor->least[LAG_FLOOR_KEPT - 1])
		lag_floor_put(floor, lag_ns);
}

/* By how much work starts before its launch, > 0; 0: the clocks agree, as far as this can tell. */
int64_t lag_floor_early_ns(const struct lag_floor *floor);

#endif
