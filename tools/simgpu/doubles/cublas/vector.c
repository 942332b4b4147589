#include "doubles/cublas/vector.h"

#include "doubles/cublas/handle.h"

#include "doubles/shared/launch.h"

#include <stdio.h>
#include <string.h>

#define NAME 512

struct vector_type {
	int type;
	size_t bytes;
	const char *code; /* mangled */
	bool own;         /* a class: later substitutions count one further */
};

static const struct vector_type types[] = {
	{TYPE_F32, 4, "f", false},      {TYPE_F64, 8, "d", false},
	{TYPE_F16, 2, "6__half", true}, {TYPE_BF16, 2, "13__nv_bfloat16", true},
	{TYPE_C32, 8, "6float2", true}, {TYPE_C64, 16, "7double2", true},
};

static const struct vector_type *find(int type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

bool vector_supported(int type)
{
	return find(type) != NULL;
}

static int launch(const char *name, uint32_t blocks, uint32_t threads, void *stream)
{
	struct library_kernel kernel = {name, {blocks, 1, 1}, {threads, 1, 1}, false};
	return library_launch(&kernel, stream);
}

/* gemv2T_kernel_val or gemv2N_kernel over cublasGemvParams of strided batched tensors. */
int vector_gemv(int type, bool transposed, uint64_t length, void *stream)
{
	const struct vector_type *t = find(type);
	const char *kernel = transposed ? "17gemv2T_kernel_val" : "13gemv2N_kernel";
	const char *numbers = transposed ? "Li128ELi16ELi2ELi2ELb0ELb0E" : "Li128ELi8ELi4ELi4ELi1ELb0E";
	const char *tail = transposed ? "EEvT11_T4_T4_" : "EEvT11_";
	char name[NAME];
	if (t->own)
		snprintf(name, sizeof(name),
				 "_Z%sIii%sS0_S0_f%s16cublasGemvParamsI30cublasGemvTensorStridedBatchedIKS0_ES4_S2_"
				 "IS0_Ef%s",
				 kernel, t->code, numbers, tail);
	else
		snprintf(name, sizeof(name),
				 "_Z%sIii%s%s%s%s%s16cublasGemvParamsI30cublasGemvTensorStridedBatchedIK%sES3_S1_I"
				 "%sE%s%s",
				 kernel, t->code, t->code, t->code, t->code, numbers, t->code, t->code, t->code,
				 tail);
	return launch(name, library_tiles(length, transposed ? 16 : 128, LIBRARY_GRID_X), 128, stream);
}

/* dot_kernel, then reduce_1Block_kernel over what its blocks left. */
static int run_dot(const struct vector_type *t, uint64_t n, void *stream)
{
	char name[NAME];
	uint32_t blocks = library_tiles(n, 128 * 8, 256);
	const char *own = t->own ? "S0_" : t->code;
	snprintf(name, sizeof(name),
			 "_Z10dot_kernelI%sLi128ELi0E15cublasDotParamsI30cublasGemvTensorStridedBatchedIK%sE%s"
			 "I%sEEEvT2_",
			 t->code, own, t->own ? "S2_" : "S1_", own);
	int failed = launch(name, blocks, 128, stream);
	if (failed)
		return failed;
	snprintf(name, sizeof(name),
			 "_Z20reduce_1Block_kernelI%sLi128ELi7E30cublasGemvTensorStridedBatchedI%sE%s", t->code,
			 own,
			 t->own ? "S2_S2_EvPKT_S3_T2_iS5_S3_T3_19cublasPointerMode_t"
					: "S1_S1_EvPKT_S2_T2_iS4_S2_T3_19cublasPointerMode_t");
	return launch(name, 1, 128, stream);
}

/* Into host memory a call waits for its result: nothing was computed, it is 0. */
static int take_result(const struct blas_handle *blas, void *result, size_t bytes)
{
	if (blas->pointer_mode == POINTER_DEVICE)
		return BLAS_OK;
	int failed = library_wait(blas->stream);
	if (!failed)
		memset(result, 0, bytes);
	return blas_status_of(failed);
}

static int dot(void *handle, int64_t n, const void *x, const void *y, int type, void *result)
{
	const struct blas_handle *blas = blas_handle_of(handle);
	const struct vector_type *t = find(type);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	if (!t)
		return BLAS_NOT_SUPPORTED;
	if (!result || (n > 0 && (!x || !y)))
		return BLAS_INVALID_VALUE;
	int failed = n > 0 ? run_dot(t, (uint64_t)n, blas->stream) : 0;
	return failed ? blas_status_of(failed) : take_result(blas, result, t->bytes);
}

BLAS_API(int, cublasDotEx, void *handle, int n, const void *x, int x_type, int x_step,
		 const void *y, int y_type, int y_step, void *result, int result_type, int execution)
{
	(void)x_step, (void)y_step, (void)execution;
	if (x_type != y_type || x_type != result_type)
		return blas_handle_of(handle) ? BLAS_NOT_SUPPORTED : BLAS_NOT_INITIALIZED;
	return dot(handle, n, x, y, x_type, result);
}

#define DOT_API(name_, type_)                                                           \
	BLAS_API(int, name_, void *handle, int n, const void *x, int x_step, const void *y, \
			 int y_step, void *result)                                                  \
	{                                                                                   \
		(void)x_step, (void)y_step;                                                     \
		return dot(handle, n, x, y, type_, result);                                     \
	}

DOT_API(cublasSdot_v2, TYPE_F32)
DOT_API(cublasDdot_v2, TYPE_F64)
DOT_API(cublasCdotu_v2, TYPE_C32)
DOT_API(cublasCdotc_v2, TYPE_C32)
DOT_API(cublasZdotu_v2, TYPE_C64)
DOT_API(cublasZdotc_v2, TYPE_C64)

struct gemv_call {
	void *handle;
	int op, m, n, lda, x_step, y_step;
	const void *alpha, *a, *x, *beta, *y;
};

static int gemv(const struct gemv_call *c, int type)
{
	const struct blas_handle *blas = blas_handle_of(c->handle);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	if (c->m < 0 || c->n < 0 || c->lda < (c->m > 1 ? c->m : 1) || !c->x_step || !c->y_step ||
		c->op < OP_N || c->op > OP_C || !c->alpha || !c->beta)
		return BLAS_INVALID_VALUE;
	if (!c->m || !c->n)
		return BLAS_OK;
	if (!c->a || !c->x || !c->y)
		return BLAS_INVALID_VALUE;
	return blas_status_of(
		vector_gemv(type, c->op != OP_N, (uint64_t)(c->op == OP_N ? c->m : c->n), blas->stream));
}

#define GEMV_API(letter_, type_)                                                                   \
	BLAS_API(int, cublas##letter_##gemv_v2, void *handle, int op, int m, int n, const void *alpha, \
			 const void *a, int lda, const void *x, int x_step, const void *beta, void *y,         \
			 int y_step)                                                                           \
	{                                                                                              \
		return gemv(                                                                               \
			&(struct gemv_call){handle, op, m, n, lda, x_step, y_step, alpha, a, x, beta, y},      \
			type_);                                                                                \
	}

GEMV_API(S, TYPE_F32)
GEMV_API(D, TYPE_F64)
GEMV_API(C, TYPE_C32)
GEMV_API(Z, TYPE_C64)
