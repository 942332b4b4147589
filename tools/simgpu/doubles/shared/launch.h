/* How NVIDIA's libraries launch: each carries a CUDA runtime of its own, which finds the driver by
 * dlopen("libcuda.so.1") and dlsym("cuGetProcAddress_v2"). Compiled into each of their doubles. */
#ifndef SIMGPU_DOUBLES_SHARED_LAUNCH_H
#define SIMGPU_DOUBLES_SHARED_LAUNCH_H

#include "doubles/cuda_abi.h"

#include <stdbool.h>

struct library_kernel {
	const char *name; /* mangled; copied */
	uint32_t grid[3], block[3];
	/* Through the driver alone, cuLaunchKernelEx, as kernels for capability 9.0 and later are; else
	 * seen as cudaLaunchKernel around cuLaunchKernel. */
	bool extended;
};

/* cuInit and the current device's context, on first use as in the runtime. 0 or a CUresult. */
int library_use(void);
/* 0 or a CUresult. */
int library_launch(const struct library_kernel *kernel, void *stream);
/* Waits for the stream. 0 or a CUresult. */
int library_wait(void *stream);
/* Is a stream being captured into a graph? */
bool library_captured(void *stream);
/* Of the current device: 80, 90. */
int library_capability(void);

/* How many tiles of that length cover it: a grid's dimension, at most `most`. */
static inline uint32_t library_tiles(uint64_t length, uint32_t tile, uint32_t most)
{
	uint64_t tiles = length ? (length - 1) / tile + 1 : 1;
	return tiles < most ? (uint32_t)tiles : most;
}

#define LIBRARY_GRID_X 0x7fffffffu
#define LIBRARY_GRID_YZ 65535u

#endif
