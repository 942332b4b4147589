/* Warm-up of recorded runs: the first step, the steps up to the first CUDA graph, and the steps right
 * after them that load modules, are not counted (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_WARMUP_H
#define STEPS_WARMUP_H

#include "steps/markers.h"

#define WARMUP_LEAST_STEPS 4
#define WARMUP_LONG_LOAD_NS 1000000

#define WARMUP_LOADS_MOST 65536 /* so that no trace can make the list long */

/* The begins of the calls of a process that loaded a module for WARMUP_LONG_LOAD_NS or more, in
 * order. */
struct long_loads {
	int64_t *at;
	size_t n, room;
	bool more; /* than WARMUP_LOADS_MOST, which are not here */
};

struct warmup_calls { /* where to find them */
	struct trace *trace;
	const struct host_names *names;
	const struct long_loads *known; /* all of them; NULL: in the trace */
};

/* Cuts the warm-up from `steps`, found in the process of these calls. `begun`: the first step is
 * already cut. 0 or -errno. */
int warmup_cut(const struct warmup_calls *calls, bool begun, struct steps *steps);

#endif
