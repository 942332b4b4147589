/* What processes that the job's own process started (a data loader's workers) run, wait for a core
 * and sleep: sched rows of a thread record of their own, for as long as they live. A child that uses
 * CUDA has a trace too. Of the sampler's thread. */
#ifndef SHIM_CHILDREN_H
#define SHIM_CHILDREN_H

#include <stdint.h>

/* Called often; looks now and then. `now_ns`: CLOCK_MONOTONIC. */
void children_look(int64_t now_ns);
/* A recording begins. */
void children_forget(void);

#endif
