/* Does the host of a rank need longer between the same calls than the others' hosts
 * (docs/ATTRIBUTION.md section 7, "A slower host")? Pure: a summary in, numbers out. */
#ifndef CONCLUDE_HOST_SPEED_H
#define CONCLUDE_HOST_SPEED_H

#include "conclude/stragglers.h"

struct host_speed {
	bool slower;
	double times;                /* its think time / the others', the median over the steps */
	int64_t steps, in;           /* steps that were compared; in how many it needs longer */
	int64_t calls, others_calls; /* GPU-driving calls of the median step */
};

/* Of a rank, or of the ranks of a host together. All is zero where the summary has no think times
 * of it and of others. 0 or -ENOMEM. */
int host_speed_of(const struct summary *summary, const struct straggler *straggler,
				  struct host_speed *speed);
/* More calls than the others make, beyond what counts as the same. */
bool host_speed_more_calls(const struct host_speed *speed);

#endif
