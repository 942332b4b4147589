/* A matrix with a vector, two vectors, a triangular system: one or two kernels each. */
#ifndef SIMGPU_DOUBLES_CUBLAS_VECTOR_H
#define SIMGPU_DOUBLES_CUBLAS_VECTOR_H

#include "doubles/cublas/blas_abi.h"

#include <stdbool.h>

bool vector_supported(int type);
/* y of `length` elements. 0 or a CUresult. */
int vector_gemv(int type, bool transposed, uint64_t length, void *stream);

#endif
