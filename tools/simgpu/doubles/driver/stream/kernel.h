/* Kernels by name: one record each, for ever; a CUfunction, a CUkernel and a cudaKernel_t are
 * pointers to it. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_KERNEL_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_KERNEL_H

#include "doubles/driver/stream/op.h"
#include "values/formula.h"

struct kernel {
	uint64_t magic;
	const char *name;
	struct kernel *next; /* of one hash */
	int64_t ns, ns_per_block;
	bool timed; /* the two above are set */
	int dynamic_shared;
	bool has_formula;
	struct formula formula;
};

struct kernel *kernel_of(const void *handle); /* NULL: not one */

struct shape {
	uint32_t grid[3], block[3], shared_bytes; /* dynamic ones */
};
/* 0 or CUDA_INVALID_VALUE. */
int kernel_plan(struct kernel *kernel, const struct shape *shape, struct plan *plan);

#endif
