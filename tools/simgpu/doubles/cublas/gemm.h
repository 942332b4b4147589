/* One matrix multiplication, D = A B + C in cuBLAS's column-major terms, as kernels on a stream. */
#ifndef SIMGPU_DOUBLES_CUBLAS_GEMM_H
#define SIMGPU_DOUBLES_CUBLAS_GEMM_H

#include "doubles/cublas/gemm_name.h"

struct gemm_plan {
	char name[GEMM_NAME], reduce[GEMM_NAME]; /* mangled; reduce: empty without split-K */
	uint32_t grid[3], threads;
	uint32_t reduce_grid[3];
	unsigned splits;
	size_t workspace_bytes;
	float waves;
	bool extended;
};

/* Are there kernels for these types on that device? */
bool gemm_supported(const struct gemm *gemm, int capability);
/* Elements that a leading dimension is a multiple of, at most 8. */
unsigned gemm_align(int64_t a_leading, int64_t b_leading);
void gemm_choose(const struct gemm *gemm, int capability, struct gemm_plan *plan);
/* 0 or a CUresult. */
int gemm_run(const struct gemm *gemm, void *stream);

#endif
