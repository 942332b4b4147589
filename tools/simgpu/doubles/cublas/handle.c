#include "doubles/cublas/handle.h"

#include "doubles/shared/launch.h"

#include <stdlib.h>

#define HANDLE_MAGIC 0x53494d424c415321ull
#define WORKSPACE_ALIGN 256u

struct blas_handle *blas_handle_of(void *handle)
{
	struct blas_handle *blas = handle;
	return blas && blas->magic == HANDLE_MAGIC ? blas : NULL;
}

/* What the handle has without cublasSetWorkspace. */
static size_t own_workspace(void)
{
	return (size_t)(library_capability() >= 90 ? 32 : 4) << 20;
}

BLAS_API(int, cublasCreate_v2, void **handle)
{
	if (!handle)
		return BLAS_INVALID_VALUE;
	if (library_use())
		return BLAS_NOT_INITIALIZED;
	struct blas_handle *blas = calloc(1, sizeof(*blas));
	if (!blas)
		return BLAS_ALLOC_FAILED;
	blas->magic = HANDLE_MAGIC;
	blas->workspace_bytes = own_workspace();
	*handle = blas;
	return BLAS_OK;
}

BLAS_API(int, cublasDestroy_v2, void *handle)
{
	struct blas_handle *blas = blas_handle_of(handle);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	blas->magic = 0;
	free(blas);
	return BLAS_OK;
}

/* A new stream takes away the workspace that was set for the one before. */
BLAS_API(int, cublasSetStream_v2, void *handle, void *stream)
{
	struct blas_handle *blas = blas_handle_of(handle);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	blas->stream = stream;
	blas->workspace_bytes = own_workspace();
	return BLAS_OK;
}

BLAS_API(int, cublasGetStream_v2, void *handle, void **stream)
{
	struct blas_handle *blas = blas_handle_of(handle);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	if (!stream)
		return BLAS_INVALID_VALUE;
	*stream = blas->stream;
	return BLAS_OK;
}

BLAS_API(int, cublasSetWorkspace_v2, void *handle, void *workspace, size_t bytes)
{
	struct blas_handle *blas = blas_handle_of(handle);
	if (!blas)
		return BLAS_NOT_INITIALIZED;
	if ((uintptr_t)workspace % WORKSPACE_ALIGN)
		return BLAS_INVALID_VALUE;
	blas->workspace_bytes = workspace ? bytes : 0;
	return BLAS_OK;
}

/* An int of the handle with its two calls: modes up to `most_`. */
#define MODE_API(what_, field_, least_, most_)                   \
	BLAS_API(int, cublasSet##what_, void *handle, int mode)      \
	{                                                            \
		struct blas_handle *blas = blas_handle_of(handle);       \
		if (!blas)                                               \
			return BLAS_NOT_INITIALIZED;                         \
		if (mode < (least_) || mode > (most_))                   \
			return BLAS_INVALID_VALUE;                           \
		blas->field_ = mode;                                     \
		return BLAS_OK;                                          \
	}                                                            \
	BLAS_API(int, cublasGet##what_, void *handle, int *mode)     \
	{                                                            \
		const struct blas_handle *blas = blas_handle_of(handle); \
		if (!blas)                                               \
			return BLAS_NOT_INITIALIZED;                         \
		if (!mode)                                               \
			return BLAS_INVALID_VALUE;                           \
		*mode = blas->field_;                                    \
		return BLAS_OK;                                          \
	}

MODE_API(PointerMode_v2, pointer_mode, POINTER_HOST, POINTER_DEVICE)
MODE_API(MathMode, math_mode, 0, 31)
MODE_API(AtomicsMode, atomics_mode, 0, 1)
MODE_API(SmCountTarget, processors, 0, 1024)

BLAS_API(int, cublasGetVersion_v2, void *handle, int *version)
{
	(void)handle; /* may be NULL */
	if (!version)
		return BLAS_INVALID_VALUE;
	*version = BLAS_VERSION;
	return BLAS_OK;
}

BLAS_API(int, cublasGetProperty, int property, int *value)
{
	const int values[] = {BLAS_VERSION / 10000, BLAS_VERSION / 100 % 100, BLAS_VERSION % 100};
	if (property < 0 || property > 2 || !value)
		return BLAS_INVALID_VALUE;
	*value = values[property];
	return BLAS_OK;
}

BLAS_API(size_t, cublasGetCudartVersion, void)
{
	return CUDA_MAJOR >= 13 ? 13020 : 12080;
}
