/* What the exported multiplications come down to. */
#ifndef SIMGPU_DOUBLES_CUBLAS_GEMM_CALLS_H
#define SIMGPU_DOUBLES_CUBLAS_GEMM_CALLS_H

#include "doubles/cublas/blas_abi.h"

struct gemm_call { /* as cuBLAS's functions take them */
	void *handle;
	int a_op, b_op;
	int64_t m, n, k;
	const void *alpha, *a;
	int a_type;
	int64_t lda;
	const void *b;
	int b_type;
	int64_t ldb;
	const void *beta, *c;
	int c_type;
	int64_t ldc;
	int64_t batch;
	int compute;
};

/* Checks the call and launches what it asks for. */
int gemm_call(const struct gemm_call *call);

#endif
