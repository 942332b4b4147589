/* What the tests can read from the small libcuda.so.1 and libcudart.so.12 of theirs. */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include <stddef.h>
#include <stdint.h>

struct dim3 {
	unsigned x, y, z;
};

struct cuda_double {
	const char *last;   /* the driver function that was called last */
	const char *middle; /* the runtime function */
	int result;         /* of driver calls */
	int calls;          /* of driver launches */
	struct dim3 grid, block;
	const void *function, *stream;
	size_t shared;
	void **args;
};
extern struct cuda_double cuda_double;

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
					 size_t shared, void *stream);
int cudaLaunchKernel_ptsz(const void *function, struct dim3 grid, struct dim3 block, void **args,
						  size_t shared, void *stream);
int __cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
					   size_t shared, void *stream);
int cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block,
								void **args, size_t shared, void *stream);
int cudaLaunchKernelExC(const void *config, const void *function, void **args);
int cudaGraphLaunch(void *graph, void *stream);

#endif
