/* A cuBLAS handle: the stream and modes that every call on it uses. One thread at a time, as
 * cuBLAS asks of its callers. */
#ifndef SIMGPU_DOUBLES_CUBLAS_HANDLE_H
#define SIMGPU_DOUBLES_CUBLAS_HANDLE_H

#include "doubles/cublas/blas_abi.h"

struct blas_handle {
	uint64_t magic;
	void *stream;
	size_t workspace_bytes;
	int pointer_mode, math_mode, atomics_mode;
	int processors; /* cublasSetSmCountTarget */
};

/* NULL: not one of ours. */
struct blas_handle *blas_handle_of(void *handle);

#endif
