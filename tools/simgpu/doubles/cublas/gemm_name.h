/* The names of cuBLAS's kernels: families as they stand in public traces of A100 and H100; which
 * tile is taken for which shape is the double's own choice. */
#ifndef SIMGPU_DOUBLES_CUBLAS_GEMM_NAME_H
#define SIMGPU_DOUBLES_CUBLAS_GEMM_NAME_H

#include "doubles/cublas/gemm.h"

struct gemm_tile {
	unsigned m, n, threads;
	const char *stages; /* as the family writes them */
};

struct gemm_family {
	const struct gemm_tile *tiles; /* from the largest */
	unsigned n_tiles;
	void (*name)(char out[GEMM_NAME], const struct gemm *gemm, const struct gemm_tile *tile,
				 bool split);
	bool extended; /* launched by cuLaunchKernelEx */
};

/* NULL: no kernels for these types on that device. */
const struct gemm_family *gemm_family(const struct gemm *gemm, int capability);
/* The kernel that adds up what split-K left. */
void gemm_reduce_name(char out[GEMM_NAME], int type);

#endif
