/* Triangular systems: one kernel per call, or per batch. */
#include "doubles/cublas/handle.h"

#include "doubles/shared/launch.h"

#include <stdbool.h>

struct solve {
	void *handle;
	int side, m, n, lda, ldb, batch;
	const void *alpha, *a, *b;
};

static int solve(const struct solve *s, const char *kernel)
{
	const struct blas_handle *blas = blas_handle_of(s->handle);
	int order = s->side ? s->n : s->m;
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	if (s->m < 0 || s->n < 0 || s->batch < 0 || s->lda < (order > 1 ? order : 1) ||
		s->ldb < (s->m > 1 ? s->m : 1) || !s->alpha)
		return BLAS_INVALID_VALUE;
	if (!s->m || !s->n || !s->batch)
		return BLAS_OK;
	if (!s->a || !s->b)
		return BLAS_INVALID_VALUE;
	uint32_t columns = library_tiles((uint64_t)(s->side ? s->m : s->n), 32, LIBRARY_GRID_YZ);
	struct library_kernel launch = {
		kernel,
		{columns, 1, library_tiles((uint64_t)s->batch, 1, LIBRARY_GRID_YZ)},
		{256, 1, 1},
		false};
	return blas_status_of(library_launch(&launch, blas->stream));
}

#define TRSM_API(letter_, code_)                                                                \
	BLAS_API(int, cublas##letter_##trsm_v2, void *handle, int side, int fill, int op, int unit, \
			 int m, int n, const void *alpha, const void *a, int lda, void *b, int ldb)         \
	{                                                                                           \
		(void)fill, (void)op, (void)unit;                                                       \
		return solve(&(struct solve){handle, side, m, n, lda, ldb, 1, alpha, a, b},             \
					 "_Z11trsm_kernelI" code_ "Li256ELi4ELi128ELb0ELb0ELb0ELb0ELb0EEvT_");      \
	}                                                                                           \
	BLAS_API(int, cublas##letter_##trsmBatched, void *handle, int side, int fill, int op,       \
			 int unit, int m, int n, const void *alpha, const void *const *a, int lda,          \
			 void *const *b, int ldb, int batch)                                                \
	{                                                                                           \
		(void)fill, (void)op, (void)unit;                                                       \
		return solve(&(struct solve){handle, side, m, n, lda, ldb, batch, alpha, a, b},         \
					 "_Z22batch_trsm_left_kernelI" code_ "Li256ELi4ELb0ELb0ELb0ELb0ELb0EEvT_"); \
	}

TRSM_API(S, "f")
TRSM_API(D, "d")
TRSM_API(C, "6float2")
TRSM_API(Z, "7double2")
