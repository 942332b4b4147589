/* Kernel launches, host functions and graph launches. */
#include "doubles/runtime/runtime.h"

/* ---- the configuration between <<<>>> and the stub ---- */

#define PUSHED 16

struct pushed {
	struct dim3 grid, block;
	size_t shared_bytes;
	void *stream;
};

static __thread struct pushed stack[PUSHED];
static __thread unsigned n_pushed;

API_OF(unsigned, __cudaPushCallConfiguration, struct dim3 grid, struct dim3 block,
	   size_t shared_bytes, void *stream)
{
	if (n_pushed == PUSHED)
		return 1;
	stack[n_pushed++] = (struct pushed){grid, block, shared_bytes, stream};
	return 0;
}

API(__cudaPopCallConfiguration, struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
	void **stream)
{
	if (!n_pushed)
		return runtime_result(52); /* cudaErrorMissingConfiguration */
	const struct pushed *top = &stack[--n_pushed];
	*grid = top->grid;
	*block = top->block;
	*shared_bytes = top->shared_bytes;
	*stream = top->stream;
	return CUDA_OK;
}

/* ---- kernels ---- */

struct launch {
	uint32_t cbid;
	const char *name;
	bool per_thread, cooperative;
};

/* The parameters of every launch but the Ex one, as CUPTI lays them out. */
struct launch_params {
	const void *function;
	struct dim3 grid, block;
	void **arguments;
	size_t shared_bytes;
	void *stream;
};

static int launch_driver(const struct launch *what, void *kernel, const struct launch_params *p)
{
	const struct driver_table *cu = driver(what->per_thread);
	if (what->cooperative)
		return cu->cuLaunchCooperativeKernel(kernel, p->grid.x, p->grid.y, p->grid.z, p->block.x,
											 p->block.y, p->block.z, (unsigned)p->shared_bytes,
											 p->stream, p->arguments);
	return cu->cuLaunchKernel(kernel, p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y,
							  p->block.z, (unsigned)p->shared_bytes, p->stream, p->arguments, NULL);
}

static int launch(const struct launch *what, const struct launch_params *params)
{
	void *kernel = runtime_kernel(params->function);
	struct sim_observed call;
	int result = runtime_enter_launch(&call, what->cbid, what->name, params,
									  kernel ? simgpu_kernel_name(kernel) : NULL);
	if (!result && !kernel)
		result = CUDART_INVALID_DEVICE_FUNCTION;
	if (!result) {
		result = launch_driver(what, kernel, params);
		if (result == CUDA_INVALID_VALUE)
			result = CUDART_INVALID_CONFIGURATION;
	}
	return runtime_leave(&call, result);
}

#define LAUNCH_API(name_, cbid_, per_thread_, cooperative_)                                 \
	API(name_, const void *function, struct dim3 grid, struct dim3 block, void **arguments, \
		size_t shared_bytes, void *stream)                                                  \
	{                                                                                       \
		struct launch what = {cbid_, #name_, per_thread_, cooperative_};                    \
		struct launch_params p = {function, grid, block, arguments, shared_bytes, stream};  \
		return launch(&what, &p);                                                           \
	}

LAUNCH_API(cudaLaunchKernel, 211, false, false)
LAUNCH_API(cudaLaunchKernel_ptsz, 214, true, false)
LAUNCH_API(cudaLaunchCooperativeKernel, 269, false, true)
LAUNCH_API(cudaLaunchCooperativeKernel_ptsz, 270, true, true)

#if CUDART_MAJOR >= 13
LAUNCH_API(__cudaLaunchKernel, 505, false, false)
LAUNCH_API(__cudaLaunchKernel_ptsz, 506, true, false)

API(__cudaGetKernel, void **kernel, const void *function)
{
	*kernel = runtime_kernel(function);
	return runtime_result(*kernel ? CUDA_OK : CUDART_INVALID_DEVICE_FUNCTION);
}
#endif

API(cudaGetKernel, void **kernel, const void *function)
{
	*kernel = runtime_kernel(function);
	return runtime_result(*kernel ? CUDA_OK : CUDART_INVALID_DEVICE_FUNCTION);
}

API(cudaGetFuncBySymbol, void **kernel, const void *function)
{
	return cudaGetKernel(kernel, function);
}

static int launch_ex(const struct launch *what, const struct cuda_launch_config *config,
					 const void *function, void **arguments)
{
	const struct {
		const struct cuda_launch_config *config;
		const void *function;
		void **arguments;
	} params = {config, function, arguments};
	const struct dim3 *g = &config->grid, *b = &config->block;
	struct cu_launch_config to = {
		{g->x, g->y, g->z}, {b->x, b->y, b->z}, (uint32_t)config->shared_bytes,
		config->stream,     config->attributes, config->n_attributes};
	void *kernel = runtime_kernel(function);
	struct sim_observed call;
	int result = runtime_enter_launch(&call, what->cbid, what->name, &params,
									  kernel ? simgpu_kernel_name(kernel) : NULL);
	if (!result && !kernel)
		result = CUDART_INVALID_DEVICE_FUNCTION;
	if (!result) {
		result = driver(what->per_thread)->cuLaunchKernelEx(&to, kernel, arguments, NULL);
		if (result == CUDA_INVALID_VALUE)
			result = CUDART_INVALID_CONFIGURATION;
	}
	return runtime_leave(&call, result);
}

#define LAUNCH_EX_API(name_, cbid_, per_thread_)                                                \
	API(name_, const struct cuda_launch_config *config, const void *function, void **arguments) \
	{                                                                                           \
		struct launch what = {cbid_, #name_, per_thread_, false};                               \
		return launch_ex(&what, config, function, arguments);                                   \
	}

LAUNCH_EX_API(cudaLaunchKernelExC, 430, false)
LAUNCH_EX_API(cudaLaunchKernelExC_ptsz, 431, true)

#define HOST_FUNC_API(name_, cbid_, per_thread_)                                    \
	API(name_, void *stream, void (*function)(void *), void *data)                  \
	{                                                                               \
		const struct {                                                              \
			void *stream;                                                           \
			void (*function)(void *);                                               \
			void *data;                                                             \
		} params = {stream, function, data};                                        \
		struct sim_observed call;                                                   \
		int result = runtime_enter(&call, cbid_, #name_, &params);                  \
		if (!result)                                                                \
			result = driver(per_thread_)->cuLaunchHostFunc(stream, function, data); \
		return runtime_leave(&call, result);                                        \
	}

HOST_FUNC_API(cudaLaunchHostFunc, 284, false)
HOST_FUNC_API(cudaLaunchHostFunc_ptsz, 285, true)

/* ---- what is asked about kernels ---- */

struct function_attributes { /* cudaFuncAttributes */
	size_t shared, constant, local;
	int max_threads, registers, ptx, binary, cache_mode, max_dynamic_shared, carveout;
	int rest[23];
};
_Static_assert(sizeof(struct function_attributes) == 144, "cudaFuncAttributes");

API(cudaFuncGetAttributes, struct function_attributes *out, const void *function)
{
	const struct driver_table *cu = driver(false);
	void *kernel = runtime_kernel(function);
	struct sim_observed call;
	int result = runtime_enter(&call, 15, "cudaFuncGetAttributes", NULL);
	if (!result && !kernel)
		result = CUDART_INVALID_DEVICE_FUNCTION;
	if (!result) {
		*out = (struct function_attributes){.carveout = -1};
		cu->cuFuncGetAttribute(&out->max_threads, 0, kernel);
		cu->cuFuncGetAttribute(&out->registers, 4, kernel);
		cu->cuFuncGetAttribute(&out->ptx, 5, kernel);
		cu->cuFuncGetAttribute(&out->binary, 6, kernel);
		cu->cuFuncGetAttribute(&out->max_dynamic_shared, 8, kernel);
	}
	return runtime_leave(&call, result);
}

API(cudaFuncSetAttribute, const void *function, int attribute, int value)
{
	void *kernel = runtime_kernel(function);
	struct sim_observed call;
	int result = runtime_enter(&call, 273, "cudaFuncSetAttribute", NULL);
	if (!result)
		result = kernel ? driver(false)->cuFuncSetAttribute(kernel, attribute, value)
						: CUDART_INVALID_DEVICE_FUNCTION;
	return runtime_leave(&call, result);
}

API(cudaFuncSetCacheConfig, const void *function, int config)
{
	(void)config;
	return runtime_result(runtime_kernel(function) ? CUDA_OK : CUDART_INVALID_DEVICE_FUNCTION);
}

API(cudaFuncGetName, const char **name, const void *function)
{
	void *kernel = runtime_kernel(function);
	*name = kernel ? simgpu_kernel_name(kernel) : NULL;
	return runtime_result(kernel ? CUDA_OK : CUDART_INVALID_DEVICE_FUNCTION);
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *function,
	int threads, size_t shared_bytes, unsigned flags)
{
	void *kernel = runtime_kernel(function);
	if (!kernel)
		return runtime_result(CUDART_INVALID_DEVICE_FUNCTION);
	return runtime_result(driver(false)->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, kernel, threads, shared_bytes, flags));
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function, int threads,
	size_t shared_bytes)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
																  shared_bytes, 0);
}
