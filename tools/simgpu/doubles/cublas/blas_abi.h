/* Numbers of the public interfaces of cuBLAS and cuBLASLt. Statuses are int, handles and
 * descriptors void *. */
#ifndef SIMGPU_DOUBLES_CUBLAS_BLAS_ABI_H
#define SIMGPU_DOUBLES_CUBLAS_BLAS_ABI_H

#include <stddef.h>
#include <stdint.h>

enum blas_status {
	BLAS_OK = 0,
	BLAS_NOT_INITIALIZED = 1,
	BLAS_ALLOC_FAILED = 3,
	BLAS_INVALID_VALUE = 7,
	BLAS_EXECUTION_FAILED = 13,
	BLAS_INTERNAL_ERROR = 14,
	BLAS_NOT_SUPPORTED = 15
};

enum blas_op { OP_N, OP_T, OP_C };
enum blas_pointer_mode { POINTER_HOST, POINTER_DEVICE };
enum { MATH_TF32 = 3, MATH_MODE_BITS = 0xf };

enum blas_type { /* cudaDataType */
				 TYPE_F32 = 0,
				 TYPE_F64 = 1,
				 TYPE_F16 = 2,
				 TYPE_I8 = 3,
				 TYPE_C32 = 4,
				 TYPE_C64 = 5,
				 TYPE_I32 = 10,
				 TYPE_BF16 = 14,
				 TYPE_E4M3 = 28,
				 TYPE_E5M2 = 29,
				 TYPE_E2M1 = 33
};

enum blas_compute { /* cublasComputeType_t */
					COMPUTE_16F = 64,
					COMPUTE_16F_PEDANTIC = 65,
					COMPUTE_32F = 68,
					COMPUTE_32F_PEDANTIC = 69,
					COMPUTE_64F = 70,
					COMPUTE_32I = 72,
					COMPUTE_32F_FAST_16F = 74,
					COMPUTE_32F_FAST_BF16 = 75,
					COMPUTE_32F_FAST_TF32 = 77
};

/* The version of the library that a PyTorch of that CUDA release brings. */
#if CUDA_MAJOR >= 13
#define BLAS_VERSION 130401
#else
#define BLAS_VERSION 120804
#endif

/* Begins the definition of an exported function. */
#define BLAS_API(type_, name_, ...) \
	type_ name_(__VA_ARGS__);       \
	type_ name_(__VA_ARGS__)

/* A driver's result as a library that launches reports it. */
static inline int blas_status_of(int cuda_result)
{
	return cuda_result ? BLAS_EXECUTION_FAILED : BLAS_OK;
}

#endif
