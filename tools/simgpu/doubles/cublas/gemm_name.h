/* A multiplication, and the names of cuBLAS's kernels for it: families as they stand in public
 * traces of A100 and H100; which tile is taken for which shape is the double's own choice. */
#ifndef SIMGPU_DOUBLES_CUBLAS_GEMM_NAME_H
#define SIMGPU_DOUBLES_CUBLAS_GEMM_NAME_H

#include "doubles/cublas/blas_abi.h"

#include <stdbool.h>

enum gemm_epilogue { EPILOGUE_NONE, EPILOGUE_BIAS, EPILOGUE_RELU, EPILOGUE_GELU };

struct gemm {
	uint64_t m, n, k, batch;
	int a, b, d; /* enum blas_type */
	int compute; /* enum blas_compute */
	bool a_transposed, b_transposed;
	unsigned align; /* elements that every row of A and B begins at a multiple of: 1 to 8 */
	enum gemm_epilogue epilogue;
	size_t workspace_bytes; /* what split-K may use */
};

#define GEMM_NAME 320

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
