#include "doubles/cublas/gemm_calls.h"

#include "doubles/cublas/gemm.h"
#include "doubles/cublas/handle.h"
#include "doubles/cublas/vector.h"

#include "doubles/shared/launch.h"

static bool op_valid(int op)
{
	return op == OP_N || op == OP_T || op == OP_C;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int check(const struct gemm_call *c)
{
	int64_t a_rows = c->a_op == OP_N ? c->m : c->k, b_rows = c->b_op == OP_N ? c->k : c->n;
	if (!op_valid(c->a_op) || !op_valid(c->b_op) || c->m < 0 || c->n < 0 || c->k < 0 ||
		c->batch < 0)
		return BLAS_INVALID_VALUE;
	if (c->lda < most(1, a_rows) || c->ldb < most(1, b_rows) || c->ldc < most(1, c->m))
		return BLAS_INVALID_VALUE;
	if (!c->alpha || !c->beta)
		return BLAS_INVALID_VALUE;
	if (c->m && c->n && c->batch && (!c->c || (c->k && (!c->a || !c->b))))
		return BLAS_INVALID_VALUE;
	return BLAS_OK;
}

/* TF32 is a mode of the handle as well as a type of the call. */
static int compute_of(const struct gemm_call *c, int math_mode)
{
	bool single = c->compute == COMPUTE_32F && c->a_type == TYPE_F32 && c->b_type == TYPE_F32;
	return single && (math_mode & MATH_MODE_BITS) == MATH_TF32 ? COMPUTE_32F_FAST_TF32 : c->compute;
}

/* One column or one row: cuBLAS multiplies a matrix with a vector. */
static bool is_vector(const struct gemm_call *c)
{
	return (c->n == 1 || c->m == 1) && c->batch == 1 && c->a_type == c->b_type &&
		   vector_supported(c->a_type);
}

int gemm_call(const struct gemm_call *c)
{
	const struct blas_handle *blas = blas_handle_of(c->handle);
	int failed = blas ? check(c) : BLAS_NOT_INITIALIZED;
	if (failed)
		return failed;
	struct gemm gemm = {.m = (uint64_t)c->m,
						.n = (uint64_t)c->n,
						.k = (uint64_t)c->k,
						.batch = (uint64_t)c->batch,
						.a = c->a_type,
						.b = c->b_type,
						.d = c->c_type,
						.compute = compute_of(c, blas->math_mode),
						.a_transposed = c->a_op != OP_N,
						.b_transposed = c->b_op != OP_N,
						.align = gemm_align(c->lda, c->ldb),
						.workspace_bytes = blas->workspace_bytes};
	if (!gemm_supported(&gemm, library_capability()))
		return BLAS_NOT_SUPPORTED;
	if (!c->m || !c->n || !c->batch)
		return BLAS_OK;
	if (is_vector(c))
		return blas_status_of(vector_gemv(c->a_type, c->n == 1 ? c->a_op != OP_N : c->b_op == OP_N,
										  (uint64_t)(c->n == 1 ? c->m : c->n), blas->stream));
	return blas_status_of(gemm_run(&gemm, blas->stream));
}

/* ---- the exported functions ---- */

BLAS_API(int, cublasGemmEx, void *handle, int a_op, int b_op, int m, int n, int k,
		 const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
		 const void *beta, void *c, int c_type, int ldc, int compute, int algorithm)
{
	(void)algorithm;
	return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, a_type, lda, b,
										 b_type, ldb, beta, c, c_type, ldc, 1, compute});
}

BLAS_API(int, cublasSgemmEx, void *handle, int a_op, int b_op, int m, int n, int k,
		 const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
		 const void *beta, void *c, int c_type, int ldc)
{
	return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, a_type, lda, b,
										 b_type, ldb, beta, c, c_type, ldc, 1, COMPUTE_32F});
}

BLAS_API(int, cublasGemmStridedBatchedEx, void *handle, int a_op, int b_op, int m, int n, int k,
		 const void *alpha, const void *a, int a_type, int lda, long long a_stride, const void *b,
		 int b_type, int ldb, long long b_stride, const void *beta, void *c, int c_type, int ldc,
		 long long c_stride, int batch, int compute, int algorithm)
{
	(void)a_stride, (void)b_stride, (void)c_stride, (void)algorithm;
	return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, a_type, lda, b,
										 b_type, ldb, beta, c, c_type, ldc, batch, compute});
}

BLAS_API(int, cublasGemmBatchedEx, void *handle, int a_op, int b_op, int m, int n, int k,
		 const void *alpha, const void *const *a, int a_type, int lda, const void *const *b,
		 int b_type, int ldb, const void *beta, void *const *c, int c_type, int ldc, int batch,
		 int compute, int algorithm)
{
	(void)algorithm;
	return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, a_type, lda, b,
										 b_type, ldb, beta, c, c_type, ldc, batch, compute});
}

/* The functions of one type: what they multiply and add up in. */
#define TYPED_API(letter_, type_, compute_)                                                        \
	BLAS_API(int, cublas##letter_##gemm_v2, void *handle, int a_op, int b_op, int m, int n, int k, \
			 const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,  \
			 void *c, int ldc)                                                                     \
	{                                                                                              \
		return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, type_, lda, b, \
											 type_, ldb, beta, c, type_, ldc, 1, compute_});       \
	}                                                                                              \
	BLAS_API(int, cublas##letter_##gemmBatched, void *handle, int a_op, int b_op, int m, int n,    \
			 int k, const void *alpha, const void *const *a, int lda, const void *const *b,        \
			 int ldb, const void *beta, void *const *c, int ldc, int batch)                        \
	{                                                                                              \
		return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, type_, lda, b, \
											 type_, ldb, beta, c, type_, ldc, batch, compute_});   \
	}                                                                                              \
	BLAS_API(int, cublas##letter_##gemmStridedBatched, void *handle, int a_op, int b_op, int m,    \
			 int n, int k, const void *alpha, const void *a, int lda, long long a_stride,          \
			 const void *b, int ldb, long long b_stride, const void *beta, void *c, int ldc,       \
			 long long c_stride, int batch)                                                        \
	{                                                                                              \
		(void)a_stride, (void)b_stride, (void)c_stride;                                            \
		return gemm_call(&(struct gemm_call){handle, a_op, b_op, m, n, k, alpha, a, type_, lda, b, \
											 type_, ldb, beta, c, type_, ldc, batch, compute_});   \
	}

TYPED_API(S, TYPE_F32, COMPUTE_32F)
TYPED_API(D, TYPE_F64, COMPUTE_64F)
TYPED_API(C, TYPE_C32, COMPUTE_32F)
TYPED_API(Z, TYPE_C64, COMPUTE_64F)
TYPED_API(H, TYPE_F16, COMPUTE_16F)
