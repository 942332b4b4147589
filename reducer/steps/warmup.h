/* Warm-up of recorded runs: the first step, and those right after it that load modules, belong to
 * no step (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_WARMUP_H
#define STEPS_WARMUP_H

#include "steps/markers.h"

#define WARMUP_LEAST_STEPS 4
#define WARMUP_LONG_LOAD_NS 1000000

/* Cuts it out of `steps`, whose process recorded `trace`. `begun`: the first step is gone already.
 * 0 or -errno. */
int warmup_cut(struct trace *trace, const struct host_names *names, bool begun,
			   struct steps *steps);

#endif
