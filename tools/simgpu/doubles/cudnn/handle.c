#include "doubles/cudnn/handle.h"

#include "doubles/doubles.h"
#include "doubles/shared/launch.h"

#include <stdio.h>
#include <stdlib.h>

#define HANDLE_MAGIC 0x53494d444e4e2121ull

static __thread char last_error[160];

int dnn_refuse(int status, const char *why)
{
	snprintf(last_error, sizeof(last_error), "%s", why);
	return status;
}

struct dnn_handle *dnn_handle_of(void *handle)
{
	struct dnn_handle *dnn = handle;
	return dnn && dnn->magic == HANDLE_MAGIC ? dnn : NULL;
}

DNN_API(int, cudnnCreate, void **handle)
{
	if (!handle)
		return dnn_refuse(DNN_NULL_POINTER, "cudnnCreate: the handle's address is NULL");
	if (library_use())
		return dnn_refuse(DNN_NOT_INITIALIZED, "cudnnCreate: CUDA cannot be used");
	struct dnn_handle *dnn = calloc(1, sizeof(*dnn));
	if (!dnn)
		return dnn_refuse(DNN_NO_HOST_MEMORY, "cudnnCreate: no memory");
	dnn->magic = HANDLE_MAGIC;
	*handle = dnn;
	return DNN_OK;
}

DNN_API(int, cudnnDestroy, void *handle)
{
	struct dnn_handle *dnn = dnn_handle_of(handle);
	if (!dnn)
		return dnn_refuse(DNN_NULL_POINTER, "cudnnDestroy: no handle");
	dnn->magic = 0;
	free(dnn);
	return DNN_OK;
}

DNN_API(int, cudnnSetStream, void *handle, void *stream)
{
	struct dnn_handle *dnn = dnn_handle_of(handle);
	if (!dnn)
		return dnn_refuse(DNN_NULL_POINTER, "cudnnSetStream: no handle");
	dnn->stream = stream;
	return DNN_OK;
}

DNN_API(int, cudnnGetStream, void *handle, void **stream)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	if (!dnn || !stream)
		return dnn_refuse(DNN_NULL_POINTER, "cudnnGetStream: no handle, or no place");
	*stream = dnn->stream;
	return DNN_OK;
}

/* ---- who the library is: the version that a PyTorch of that CUDA release brings ---- */

static bool cuda_13(void)
{
	return simgpu_cuda_version() >= 13000;
}

DNN_API(size_t, cudnnGetVersion, void)
{
	return cuda_13() ? 92600 : 91002;
}

DNN_API(size_t, cudnnGetCudartVersion, void)
{
	return cuda_13() ? 13020 : 12090;
}

DNN_API(int, cudnnGetProperty, int property, int *value)
{
	size_t version = cudnnGetVersion();
	const int values[] = {(int)(version / 10000), (int)(version / 100 % 100), (int)(version % 100)};
	if (!value)
		return dnn_refuse(DNN_NULL_POINTER, "cudnnGetProperty: no place for the value");
	if (property < 0 || property > 2)
		return dnn_refuse(DNN_BAD_PARAM, "cudnnGetProperty: no such property");
	*value = values[property];
	return DNN_OK;
}

/* ---- errors ---- */

static const struct {
	int status;
	const char *name;
} statuses[] = {
	{DNN_OK, "CUDNN_STATUS_SUCCESS"},
	{DNN_NOT_INITIALIZED, "CUDNN_STATUS_NOT_INITIALIZED"},
	{DNN_BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"},
	{DNN_NULL_POINTER, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
	{DNN_NOT_FINALIZED, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
	{DNN_ATTRIBUTE_TYPE, "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE"},
	{DNN_DESCRIPTOR_TYPE, "CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE"},
	{DNN_NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
	{DNN_NOT_SUPPORTED_PATTERN, "CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN"},
	{DNN_INTERNAL_ERROR, "CUDNN_STATUS_INTERNAL_ERROR"},
	{DNN_NO_HOST_MEMORY, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
	{DNN_EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"},
	{DNN_EXECUTION_FAILED_DRIVER, "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER"},
};

DNN_API(const char *, cudnnGetErrorString, int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return statuses[i].name;
	return "CUDNN_UNKNOWN_STATUS";
}

/* Said once, then forgotten. */
DNN_API(void, cudnnGetLastErrorString, char *message, size_t room)
{
	if (!message || !room)
		return;
	snprintf(message, room, "%s", last_error);
	last_error[0] = 0;
}
