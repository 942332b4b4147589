/* cublasLtMatmul and the choice of its algorithm: there is one, and it always works. */
#include "doubles/cublas/gemm.h"
#include "doubles/cublas/lt.h"

#include "doubles/shared/launch.h"

#include <stdlib.h>
#include <string.h>

#define HANDLE_MAGIC 0x53494d4c544c5421ull
#define ALGORITHM_MAGIC 0x53494d414c474f21ull
#define CONFIG_VALUES 7 /* what fits beside the magic */

enum { ORDER_COLUMN = 0, ORDER_ROW = 1 };
enum { EPILOGUE_BIT_RELU = 2, EPILOGUE_BIT_BIAS = 4, EPILOGUE_BIT_GELU = 32 };

struct lt_handle {
	uint64_t magic;
};

static bool is_handle(const void *handle)
{
	return handle && ((const struct lt_handle *)handle)->magic == HANDLE_MAGIC;
}

/* A cuBLAS handle may stand for one of cuBLASLt's; what it is inside, this library cannot tell. */
static bool may_be_handle(const void *handle)
{
	return handle != NULL;
}

BLAS_API(int, cublasLtCreate, void **handle)
{
	if (!handle)
		return BLAS_INVALID_VALUE;
	if (library_use())
		return BLAS_NOT_INITIALIZED;
	struct lt_handle *made = malloc(sizeof(*made));
	if (!made)
		return BLAS_ALLOC_FAILED;
	made->magic = HANDLE_MAGIC;
	*handle = made;
	return BLAS_OK;
}

BLAS_API(int, cublasLtDestroy, void *handle)
{
	if (!is_handle(handle))
		return BLAS_NOT_INITIALIZED;
	((struct lt_handle *)handle)->magic = 0;
	free(handle);
	return BLAS_OK;
}

BLAS_API(size_t, cublasLtGetVersion, void)
{
	return BLAS_VERSION;
}

BLAS_API(size_t, cublasLtGetCudartVersion, void)
{
	return CUDA_MAJOR >= 13 ? 13020 : 12080;
}

/* ---- the problem ---- */

struct problem {
	const struct lt_matmul *matmul;
	const struct lt_layout *a, *b, *c, *d;
	size_t workspace_bytes;
};

static enum gemm_epilogue epilogue_of(uint32_t bits)
{
	return bits & EPILOGUE_BIT_GELU   ? EPILOGUE_GELU
		   : bits & EPILOGUE_BIT_RELU ? EPILOGUE_RELU
		   : bits & EPILOGUE_BIT_BIAS ? EPILOGUE_BIAS
									  : EPILOGUE_NONE;
}

/* A matrix as column-major: a row-major one is its transpose. */
static void shape_of(const struct lt_layout *layout, int op, bool *transposed, uint64_t *rows,
					 uint64_t *columns)
{
	bool turned = op != OP_N;
	*rows = turned ? layout->columns : layout->rows;
	*columns = turned ? layout->rows : layout->columns;
	*transposed = turned != (layout->order == ORDER_ROW);
}

/* BLAS_OK, or why this is no multiplication. */
static int describe(const struct problem *p, struct gemm *gemm)
{
	uint64_t b_rows;
	*gemm = (struct gemm){0};
	if (!p->matmul || !p->a || !p->b || !p->c || !p->d)
		return BLAS_INVALID_VALUE;
	shape_of(p->a, p->matmul->a_op, &gemm->a_transposed, &gemm->m, &gemm->k);
	shape_of(p->b, p->matmul->b_op, &gemm->b_transposed, &b_rows, &gemm->n);
	gemm->batch = p->d->batch > 0 ? (uint64_t)p->d->batch : 1;
	gemm->a = (int)p->a->type;
	gemm->b = (int)p->b->type;
	gemm->d = (int)p->d->type;
	gemm->compute = p->matmul->compute;
	gemm->align = gemm_align(p->a->leading, p->b->leading);
	gemm->epilogue = epilogue_of(p->matmul->epilogue);
	gemm->workspace_bytes = p->workspace_bytes;
	if (b_rows != gemm->k || p->d->rows != gemm->m || p->d->columns != gemm->n)
		return BLAS_INVALID_VALUE;
	return gemm_supported(gemm, library_capability()) ? BLAS_OK : BLAS_NOT_SUPPORTED;
}

/* ---- algorithms ---- */

static struct lt_algorithm new_algorithm(void)
{
	return (struct lt_algorithm){{ALGORITHM_MAGIC}};
}

static void answer(const struct gemm *gemm, struct lt_heuristic *result)
{
	struct gemm_plan plan;
	gemm_choose(gemm, library_capability(), &plan);
	*result = (struct lt_heuristic){
		.algorithm = new_algorithm(), .workspace_bytes = plan.workspace_bytes, .waves = plan.waves};
}

BLAS_API(int, cublasLtMatmulAlgoGetHeuristic, void *handle, void *matmul, void *a, void *b, void *c,
		 void *d, void *preference, int wanted, struct lt_heuristic *results, int *found)
{
	const struct lt_preference *limits = lt_preference_of(preference);
	struct problem problem = {lt_matmul_of(matmul), lt_layout_of(a),
							  lt_layout_of(b),      lt_layout_of(c),
							  lt_layout_of(d),      limits ? limits->workspace_bytes : 0};
	struct gemm gemm;
	if (found)
		*found = 0;
	if (!may_be_handle(handle))
		return BLAS_NOT_INITIALIZED;
	if (!limits || wanted < 1 || !results || !found)
		return BLAS_INVALID_VALUE;
	int failed = describe(&problem, &gemm);
	if (failed)
		return failed;
	answer(&gemm, results);
	*found = 1;
	return BLAS_OK;
}

BLAS_API(int, cublasLtMatmulAlgoGetIds, void *handle, int compute, int scale, int a, int b, int c,
		 int d, int wanted, int *ids, int *found)
{
	(void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
	if (!may_be_handle(handle))
		return BLAS_NOT_INITIALIZED;
	if (wanted < 1 || !ids || !found)
		return BLAS_INVALID_VALUE;
	ids[0] = 0;
	*found = 1;
	return BLAS_OK;
}

BLAS_API(int, cublasLtMatmulAlgoInit, void *handle, int compute, int scale, int a, int b, int c,
		 int d, int id, struct lt_algorithm *algorithm)
{
	(void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
	if (!may_be_handle(handle))
		return BLAS_NOT_INITIALIZED;
	if (id != 0 || !algorithm)
		return BLAS_INVALID_VALUE;
	*algorithm = new_algorithm();
	return BLAS_OK;
}

BLAS_API(int, cublasLtMatmulAlgoCheck, void *handle, void *matmul, void *a, void *b, void *c,
		 void *d, const struct lt_algorithm *algorithm, struct lt_heuristic *result)
{
	struct problem problem = {lt_matmul_of(matmul), lt_layout_of(a), lt_layout_of(b),
							  lt_layout_of(c),      lt_layout_of(d), 0};
	struct gemm gemm;
	if (!may_be_handle(handle))
		return BLAS_NOT_INITIALIZED;
	if (!result || !algorithm || algorithm->data[0] != ALGORITHM_MAGIC)
		return BLAS_INVALID_VALUE;
	struct lt_algorithm kept = *algorithm; /* may lie in the result */
	int failed = describe(&problem, &gemm);
	if (failed)
		return failed;
	answer(&gemm, result);
	result->algorithm = kept;
	return BLAS_OK;
}

/* Kept for whoever reads it back; the choice of kernels does not depend on it. */
BLAS_API(int, cublasLtMatmulAlgoConfigSetAttribute, struct lt_algorithm *algorithm, int number,
		 const void *value, size_t bytes)
{
	if (!algorithm || algorithm->data[0] != ALGORITHM_MAGIC || !value || number < 1 || number > 8 ||
		bytes > sizeof(uint64_t))
		return BLAS_INVALID_VALUE;
	if (number <= CONFIG_VALUES)
		memcpy(&algorithm->data[number], value, bytes);
	return BLAS_OK;
}

BLAS_API(int, cublasLtMatmulAlgoConfigGetAttribute, const struct lt_algorithm *algorithm,
		 int number, void *value, size_t bytes, size_t *written)
{
	if (!algorithm || algorithm->data[0] != ALGORITHM_MAGIC || !value || number < 0 || number > 8 ||
		bytes > sizeof(uint64_t))
		return BLAS_INVALID_VALUE;
	memset(value, 0, bytes);
	if (number && number <= CONFIG_VALUES)
		memcpy(value, &algorithm->data[number], bytes);
	if (written)
		*written = bytes;
	return BLAS_OK;
}

/* ---- the multiplication ---- */

BLAS_API(int, cublasLtMatmul, void *handle, void *matmul, const void *alpha, const void *a_data,
		 void *a, const void *b_data, void *b, const void *beta, const void *c_data, void *c,
		 void *d_data, void *d, const struct lt_algorithm *algorithm, void *workspace,
		 size_t workspace_bytes, void *stream)
{
	struct problem problem = {lt_matmul_of(matmul), lt_layout_of(a),
							  lt_layout_of(b),      lt_layout_of(c),
							  lt_layout_of(d),      workspace ? workspace_bytes : 0};
	struct gemm gemm;
	if (!may_be_handle(handle))
		return BLAS_NOT_INITIALIZED;
	if (!alpha || !beta || (algorithm && algorithm->data[0] != ALGORITHM_MAGIC))
		return BLAS_INVALID_VALUE;
	int failed = describe(&problem, &gemm);
	if (failed)
		return failed;
	if (!gemm.m || !gemm.n)
		return BLAS_OK;
	if (!d_data || (gemm.k && (!a_data || !b_data)))
		return BLAS_INVALID_VALUE;
	(void)c_data;
	return blas_status_of(gemm_run(&gemm, stream));
}
