/* Warm-up of recorded runs: the first step, and the steps right after it that load modules, are not
 * counted (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_WARMUP_H
#define STEPS_WARMUP_H

#include "steps/markers.h"

#define WARMUP_LEAST_STEPS 4
#define WARMUP_LONG_LOAD_NS 1000000

/* Cuts the warm-up from `steps`, found in the process that recorded `trace`. `begun`: the first
 * step is already cut. 0 or -errno. */
int warmup_cut(struct trace *trace, const struct host_names *names, bool begun,
			   struct steps *steps);

#endif
