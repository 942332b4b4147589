/* What a test can make go wrong, from the environment, read once. */
#ifndef SIMGPU_DOUBLES_CUPTI_KNOBS_H
#define SIMGPU_DOUBLES_CUPTI_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

struct knobs {
	bool shuffle;               /* SIMGPU_CUPTI_SHUFFLE=1: records of a buffer in any order */
	uint32_t first_correlation; /* SIMGPU_CUPTI_FIRST_CORRELATION: the driver's 1 becomes this */
	uint32_t skew_every;        /* SIMGPU_CUPTI_SKEW=EVERY:NS: every so many kernels start before */
	int64_t skew_ns;            /* their launch, by so much */
	uint32_t drop_every;        /* SIMGPU_CUPTI_DROP=EVERY: every so many ops find no room */
	bool invalid_incomplete;    /* SIMGPU_CUPTI_INCOMPLETE=invalid: kind 0, not only times 0 */
	bool busy;                  /* SIMGPU_CUPTI_BUSY=NAME: a tool of this name subscribed already */
	const char *holder;
	/* SIMGPU_CUPTI_DEADLOCK_S: a flush that waits longer for a completion callback aborts; one, or
	 * a disabling, that waits longer for records on their way says so and goes on */
	uint32_t deadlock_s;
};

const struct knobs *knobs(void);

#endif
