/* The faults by name, and the arguments that ask for them. */
#ifndef SIMGPU_VIRTUAL_FAULTS_FAULTS_H
#define SIMGPU_VIRTUAL_FAULTS_FAULTS_H

#include "virtual/faults/plant.h"

struct planted { /* one --fault argument: NAME[=STRENGTH][@RANK] ; @all: every rank */
	const struct fault *fault;
	int64_t strength;
	int32_t rank; /* or FAULT_EVERYWHERE */
};

const struct fault *fault_at(size_t i);                                 /* NULL past the last */
int fault_parse(const char *text, uint32_t ranks, struct planted *out); /* 0 or -EINVAL */

#endif
