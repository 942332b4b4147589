#include "doubles/runtime/runtime.h"

#include <stdio.h>

static __thread int last_error;

__attribute__((constructor)) static void loaded(void)
{
	simgpu_runtime_loaded(CUDART_MAJOR == 12 ? 12080 : 13000);
}

int runtime_enter_plain(struct sim_observed *call, uint32_t cbid, const char *name,
						const void *params)
{
	return simgpu_runtime_enter(call, cbid, name, params, NULL);
}

int runtime_enter_launch(struct sim_observed *call, uint32_t cbid, const char *name,
						 const void *params, const char *symbol)
{
	int failed = simgpu_runtime_enter(call, cbid, name, params, symbol);
	return failed ? failed : simgpu_use_context();
}

int runtime_enter(struct sim_observed *call, uint32_t cbid, const char *name, const void *params)
{
	return runtime_enter_launch(call, cbid, name, params, NULL);
}

int runtime_result(int result)
{
	if (result)
		last_error = result;
	return result;
}

int runtime_leave(struct sim_observed *call, int result)
{
	return runtime_result(simgpu_runtime_leave(call, result));
}

API(cudaGetLastError, void)
{
	int error = last_error;
	last_error = 0;
	return error;
}

API(cudaPeekAtLastError, void)
{
	return last_error;
}

/* The runtime's own numbers; the others are the driver's. */
static const struct {
	int error;
	const char *name, *words;
} errors[] = {
	{0, "cudaSuccess", "no error"},
	{1, "cudaErrorInvalidValue", "invalid argument"},
	{2, "cudaErrorMemoryAllocation", "out of memory"},
	{3, "cudaErrorInitializationError", "initialization error"},
	{4, "cudaErrorCudartUnloading", "driver shutting down"},
	{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient"},
	{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
	{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	{500, "cudaErrorSymbolNotFound", "named symbol not found"},
	{600, "cudaErrorNotReady", "device not ready"},
	{801, "cudaErrorNotSupported", "operation not supported"},
	{900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
	{901, "cudaErrorStreamCaptureInvalidated",
	 "operation failed due to a previous error during capture"},
	{904, "cudaErrorStreamCaptureUnjoined", "a stream of the capture was not joined"},
	{999, "cudaErrorUnknown", "unknown error"},
};

static int error_index(int error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].error == error)
			return (int)i;
	return -1;
}

API_OF(const char *, cudaGetErrorName, int error)
{
	const char *name = NULL;
	int i = error_index(error);
	if (i >= 0)
		return errors[i].name;
	driver(false)->cuGetErrorName(error, &name);
	return name ? name : "unrecognized error code";
}

API_OF(const char *, cudaGetErrorString, int error)
{
	const char *words = NULL;
	int i = error_index(error);
	if (i >= 0)
		return errors[i].words;
	driver(false)->cuGetErrorString(error, &words);
	return words ? words : "unrecognized error code";
}
