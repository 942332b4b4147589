/* What can be planted into a script: each fault with a strength and a place. */
#ifndef SIMGPU_VIRTUAL_FAULTS_FAULTS_H
#define SIMGPU_VIRTUAL_FAULTS_FAULTS_H

#include "virtual/script/script.h"

#define FAULT_EVERYWHERE (-1)

struct fault {
	const char *name;
	const char *unit;  /* of the strength */
	const char *about; /* one line */
	int64_t usual;     /* strength when none is given */
	enum cause cause;  /* of the idle time it makes, CAUSE_NONE: it makes none (slow device, link,
						  imbalance) */
	bool one_rank;     /* by default planted on one rank (the last) and makes it the straggler */
	/* 0, or -EINVAL when this script has no place for it (message in faults.c's fault_why()). */
	int (*plant)(struct script *script, int64_t strength, int32_t rank);
};

struct planted { /* one --fault argument: NAME[=STRENGTH][@RANK] ; @all: every rank */
	const struct fault *fault;
	int64_t strength;
	int32_t rank; /* or FAULT_EVERYWHERE */
};

const struct fault *fault_at(size_t i);                                 /* NULL past the last */
int fault_parse(const char *text, uint32_t ranks, struct planted *out); /* 0 or -EINVAL */
const char *fault_why(void);

#endif
