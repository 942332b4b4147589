#include "doubles/cublas/lt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const void *checked(const void *handle, uint32_t magic)
{
	return handle && *(const uint32_t *)handle == magic ? handle : NULL;
}

const struct lt_layout *lt_layout_of(const void *handle)
{
	return checked(handle, LT_LAYOUT_MAGIC);
}

const struct lt_matmul *lt_matmul_of(const void *handle)
{
	return checked(handle, LT_MATMUL_MAGIC);
}

const struct lt_preference *lt_preference_of(const void *handle)
{
	return checked(handle, LT_PREFERENCE_MAGIC);
}

/* ---- making and ending ---- */

static struct lt_layout new_layout(int type, uint64_t rows, uint64_t columns, int64_t leading)
{
	return (struct lt_layout){.magic = LT_LAYOUT_MAGIC,
							  .type = (uint32_t)type,
							  .rows = rows,
							  .columns = columns,
							  .leading = leading,
							  .batch = 1};
}

static struct lt_matmul new_matmul(int compute, int scale_type)
{
	return (struct lt_matmul){
		.magic = LT_MATMUL_MAGIC, .compute = compute, .scale_type = scale_type, .epilogue = 1};
}

static struct lt_preference new_preference(void)
{
	return (struct lt_preference){.magic = LT_PREFERENCE_MAGIC, .align = {256, 256, 256, 256}};
}

static int give(void **out, const void *from, size_t bytes)
{
	if (!out)
		return BLAS_INVALID_VALUE;
	*out = malloc(bytes);
	if (!*out)
		return BLAS_ALLOC_FAILED;
	memcpy(*out, from, bytes);
	return BLAS_OK;
}

static int take_back(void *handle, uint32_t magic)
{
	if (!checked(handle, magic))
		return BLAS_INVALID_VALUE;
	*(uint32_t *)handle = 0;
	free(handle);
	return BLAS_OK;
}

static int fill(void *at, size_t room, const void *from, size_t bytes)
{
	if (!at || room < bytes)
		return BLAS_INVALID_VALUE;
	memset(at, 0, room);
	memcpy(at, from, bytes);
	return BLAS_OK;
}

BLAS_API(int, cublasLtMatrixLayoutCreate, void **layout, int type, uint64_t rows, uint64_t columns,
		 int64_t leading)
{
	struct lt_layout made = new_layout(type, rows, columns, leading);
	return give(layout, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatrixLayoutInit_internal, void *layout, size_t bytes, int type,
		 uint64_t rows, uint64_t columns, int64_t leading)
{
	struct lt_layout made = new_layout(type, rows, columns, leading);
	return fill(layout, bytes, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatrixLayoutDestroy, void *layout)
{
	return take_back(layout, LT_LAYOUT_MAGIC);
}

BLAS_API(int, cublasLtMatmulDescCreate, void **matmul, int compute, int scale_type)
{
	struct lt_matmul made = new_matmul(compute, scale_type);
	return give(matmul, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatmulDescInit_internal, void *matmul, size_t bytes, int compute,
		 int scale_type)
{
	struct lt_matmul made = new_matmul(compute, scale_type);
	return fill(matmul, bytes, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatmulDescDestroy, void *matmul)
{
	return take_back(matmul, LT_MATMUL_MAGIC);
}

BLAS_API(int, cublasLtMatmulPreferenceCreate, void **preference)
{
	struct lt_preference made = new_preference();
	return give(preference, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatmulPreferenceInit_internal, void *preference, size_t bytes)
{
	struct lt_preference made = new_preference();
	return fill(preference, bytes, &made, sizeof(made));
}

BLAS_API(int, cublasLtMatmulPreferenceDestroy, void *preference)
{
	return take_back(preference, LT_PREFERENCE_MAGIC);
}

/* ---- attributes ---- */

struct attribute { /* a known one's place; others are checked for being numbers of the interface */
	int number;
	size_t offset, bytes;
};

static const struct attribute layout_attributes[] = {
	{0, offsetof(struct lt_layout, type), 4},
	{1, offsetof(struct lt_layout, order), 4},
	{2, offsetof(struct lt_layout, rows), 8},
	{3, offsetof(struct lt_layout, columns), 8},
	{4, offsetof(struct lt_layout, leading), 8},
	{5, offsetof(struct lt_layout, batch), 4},
	{6, offsetof(struct lt_layout, batch_stride), 8},
	{7, offsetof(struct lt_layout, plane_offset), 8},
	{8, offsetof(struct lt_layout, batch_mode), 4},
	{-1, 0, 0}};

static const struct attribute matmul_attributes[] = {
	{0, offsetof(struct lt_matmul, compute), 4},
	{1, offsetof(struct lt_matmul, scale_type), 4},
	{2, offsetof(struct lt_matmul, pointer_mode), 4},
	{3, offsetof(struct lt_matmul, a_op), 4},
	{4, offsetof(struct lt_matmul, b_op), 4},
	{5, offsetof(struct lt_matmul, c_op), 4},
	{7, offsetof(struct lt_matmul, epilogue), 4},
	{8, offsetof(struct lt_matmul, bias), 8},
	{25, offsetof(struct lt_matmul, fast_accumulation), 1},
	{-1, 0, 0}};

static const struct attribute preference_attributes[] = {
	{1, offsetof(struct lt_preference, workspace_bytes), 8},
	{5, offsetof(struct lt_preference, align[0]), 4},
	{6, offsetof(struct lt_preference, align[1]), 4},
	{7, offsetof(struct lt_preference, align[2]), 4},
	{8, offsetof(struct lt_preference, align[3]), 4},
	{-1, 0, 0}};

static const struct attribute *find(const struct attribute *list, int number)
{
	while (list->number >= 0 && list->number != number)
		list++;
	return list->number >= 0 ? list : NULL;
}

struct access {
	void *handle;
	uint32_t magic;
	const struct attribute *list;
	int number, last; /* the interface's highest */
};

/* What the double has no use for (scales, modes, hints) is taken without being kept. */
static int set(const struct access *a, const void *value, size_t bytes)
{
	const struct attribute *known = find(a->list, a->number);
	if (!checked(a->handle, a->magic) || !value || a->number < 0 || a->number > a->last)
		return BLAS_INVALID_VALUE;
	if (!known)
		return BLAS_OK;
	if (bytes != known->bytes)
		return BLAS_INVALID_VALUE;
	memcpy((char *)a->handle + known->offset, value, bytes);
	return BLAS_OK;
}

static int get(const struct access *a, void *value, size_t room, size_t *written)
{
	const struct attribute *known = find(a->list, a->number);
	if (!checked(a->handle, a->magic) || !known || (!room && !written))
		return BLAS_INVALID_VALUE;
	if (written)
		*written = known->bytes;
	if (!room)
		return BLAS_OK;
	if (!value || room < known->bytes)
		return BLAS_INVALID_VALUE;
	memcpy(value, (char *)a->handle + known->offset, known->bytes);
	return BLAS_OK;
}

#define ATTRIBUTE_API(what_, magic_, list_, last_)                                                \
	BLAS_API(int, cublasLt##what_##SetAttribute, void *handle, int number, const void *value,     \
			 size_t bytes)                                                                        \
	{                                                                                             \
		return set(&(struct access){handle, magic_, list_, number, last_}, value, bytes);         \
	}                                                                                             \
	BLAS_API(int, cublasLt##what_##GetAttribute, void *handle, int number, void *value,           \
			 size_t room, size_t *written)                                                        \
	{                                                                                             \
		return get(&(struct access){handle, magic_, list_, number, last_}, value, room, written); \
	}

ATTRIBUTE_API(MatrixLayout, LT_LAYOUT_MAGIC, layout_attributes, 8)
ATTRIBUTE_API(MatmulDesc, LT_MATMUL_MAGIC, matmul_attributes, 40)
ATTRIBUTE_API(MatmulPreference, LT_PREFERENCE_MAGIC, preference_attributes, 15)
