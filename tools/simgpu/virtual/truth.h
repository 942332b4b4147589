/* What is true of a run, beside its trace: the engine's account of idle time, and for each planted
 * fault the step without it (the scenario run again). The reducer never sees this. */
#ifndef SIMGPU_VIRTUAL_TRUTH_H
#define SIMGPU_VIRTUAL_TRUTH_H

#include "virtual/scenario.h"
#include "virtual/world.h"

#include <stdio.h>

/* Mean length of the counted steps (warm-up cut), over the devices, ns. */
int64_t truth_step_ns(const struct world *world);
/* Lengths of the step by intervention; 0: not asked for. */
struct truth_without {
	int64_t fault_ns[SCENARIO_MAX_FAULTS];
	int64_t calls_ns[CALLS_KINDS];
};

/* Writes schema baton.truth/0. */
void truth_write(FILE *out, const struct scenario *scenario, const struct world *world,
				 const struct truth_without *without);

#endif
