/* The workloads the simulator knows, by name. Each is a small file that builds a script. */
#ifndef SIMGPU_VIRTUAL_WORKLOADS_WORKLOADS_H
#define SIMGPU_VIRTUAL_WORKLOADS_WORKLOADS_H

#include "virtual/script/script.h"

struct workload_options {
	uint64_t seed;
	uint32_t ranks;    /* devices: 1 to 4,096 */
	uint32_t per_host; /* devices of one host, 8 by default */
	uint32_t steps;
	uint32_t kernels;    /* per step, 0: the workload's own number */
	uint32_t cores;      /* per host, 0: plenty (16 per device) */
	uint32_t accumulate; /* micro-batches of a step, 0 and 1: one */
	bool recompute;      /* the backward computes each block's forward again */
};

struct workload {
	const char *name;
	const char *about;    /* one line */
	uint32_t least_ranks; /* 1, or 2 where it makes no sense alone */
	/* NULL when the options ask for what this workload cannot be (too few kernels, too many devices
	 * of one process): nothing is rounded in silence. */
	struct script *(*build)(const struct workload_options *options);
	bool trains_plainly; /* it can accumulate and recompute */
};

/* All of them, in the order in which they are listed: a new one is a file and a row here. */
#define WORKLOADS(X) \
	X(ddp)           \
	X(resnet)        \
	X(fsdp)          \
	X(tensor)        \
	X(pipeline)      \
	X(three_level)   \
	X(dataparallel)  \
	X(moe)           \
	X(graph)         \
	X(tiny)          \
	X(inference)     \
	X(jax)           \
	X(short_forward) \
	X(short_backward)

#define WORKLOAD_DECLARED(name_) extern const struct workload workload_##name_;
WORKLOADS(WORKLOAD_DECLARED)
#undef WORKLOAD_DECLARED

/* NULL when there is none of this name; workload_at(i) is NULL past the last. */
const struct workload *workload_find(const char *name);
const struct workload *workload_at(size_t i);

#endif
