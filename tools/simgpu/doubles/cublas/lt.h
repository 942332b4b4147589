/* cuBLASLt's handle and descriptors. A program makes them with Create, or keeps the opaque structs
 * itself and has them filled by Init_internal: a descriptor is no larger than those. */
#ifndef SIMGPU_DOUBLES_CUBLAS_LT_H
#define SIMGPU_DOUBLES_CUBLAS_LT_H

#include "doubles/cublas/blas_abi.h"

#define LT_LAYOUT_MAGIC 0x4c544c41u
#define LT_MATMUL_MAGIC 0x4c544d4du
#define LT_PREFERENCE_MAGIC 0x4c545052u

struct lt_layout { /* cublasLtMatrixLayoutOpaque_t: 8 words in CUDA 12, 14 in 13 */
	uint32_t magic;
	uint32_t type;
	uint64_t rows, columns;
	int64_t leading, batch_stride, plane_offset;
	int32_t order, batch;
	uint32_t batch_mode;
};

struct lt_matmul { /* cublasLtMatmulDescOpaque_t: 32 words (CUDA 11: 23) */
	uint32_t magic;
	int32_t compute, scale_type, pointer_mode;
	int32_t a_op, b_op, c_op;
	uint32_t epilogue;
	const void *bias;
	uint32_t fast_accumulation;
};

struct lt_preference { /* cublasLtMatmulPreferenceOpaque_t: 8 words or 12 */
	uint32_t magic;
	uint32_t align[4]; /* A, B, C, D; bytes */
	uint64_t workspace_bytes;
};

_Static_assert(sizeof(struct lt_layout) <= 8 * 8, "no larger than CUDA 12's");
_Static_assert(sizeof(struct lt_matmul) <= 23 * 8, "no larger than CUDA 11's");
_Static_assert(sizeof(struct lt_preference) <= 8 * 8, "no larger than CUDA 12's");

struct lt_algorithm { /* cublasLtMatmulAlgo_t */
	uint64_t data[8];
};

struct lt_heuristic { /* cublasLtMatmulHeuristicResult_t */
	struct lt_algorithm algorithm;
	size_t workspace_bytes;
	int status;
	float waves;
	int reserved[4];
};
_Static_assert(sizeof(struct lt_heuristic) == 96, "cublasLtMatmulHeuristicResult_t");

/* NULL: not one of ours. */
const struct lt_layout *lt_layout_of(const void *handle);
const struct lt_matmul *lt_matmul_of(const void *handle);
const struct lt_preference *lt_preference_of(const void *handle);

#endif
