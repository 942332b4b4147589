/* Modules and libraries: a name is all that a kernel is, so any image has any kernel. Graphs'
 * objects are here too: instantiate, destroy, look at. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/graph.h"
#include "doubles/driver/stream/kernel.h"
#include "engine/room.h"

#include <stdlib.h>
#include <unistd.h>

#define MODULE_MAGIC 0x4d4f4455u

struct module {
	uint32_t magic;
};

static int load(const struct sim_call *what, const void *image, bool file, void **out)
{
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, what->cbid, what->function, what->params, &context);
	if (!result && (!image || !out))
		result = CUDA_INVALID_VALUE;
	if (!result && file && access(image, R_OK))
		result = CUDA_FILE_NOT_FOUND;
	if (!result) {
		struct module *module = must(calloc(1, sizeof(*module)));
		module->magic = MODULE_MAGIC;
		*out = module;
	}
	return observe_leave(&call, result);
}

#define LOAD_ENTRY(name_, cbid_, file_)                                                \
	ENTRY(name_, void **module, const void *image)                                     \
	{                                                                                  \
		const struct {                                                                 \
			void **module;                                                             \
			const void *image;                                                         \
		} params = {module, image};                                                    \
		struct sim_call what = {.cbid = cbid_, .function = #name_, .params = &params}; \
		return load(&what, image, file_, module);                                      \
	}

LOAD_ENTRY(cuModuleLoad, 18, true)
LOAD_ENTRY(cuModuleLoadData, 19, false)
LOAD_ENTRY(cuModuleLoadFatBinary, 21, false)

ENTRY(cuModuleLoadDataEx, void **module, const void *image, unsigned n, int *options, void **values)
{
	const struct {
		void **module;
		const void *image;
		unsigned n;
		int *options;
		void **values;
	} params = {module, image, n, options, values};
	struct sim_call what = {.cbid = 20, .function = "cuModuleLoadDataEx", .params = &params};
	return load(&what, image, false, module);
}

ENTRY(cuLibraryLoadData, void **library, const void *code, int *jit, void **jit_values,
	  unsigned n_jit, int *options, void **values, unsigned n)
{
	const struct {
		void **library;
		const void *code;
		int *jit;
		void **jit_values;
		unsigned n_jit;
		int *options;
		void **values;
		unsigned n;
	} params = {library, code, jit, jit_values, n_jit, options, values, n};
	struct sim_call what = {.cbid = 678, .function = "cuLibraryLoadData", .params = &params};
	return load(&what, code, false, library);
}

static int unload(uint32_t cbid, const char *name, void *handle)
{
	struct module *module = handle;
	struct sim_observed call;
	int result = observe_enter(&call, cbid, name, &handle, NULL);
	if (!result && (!module || module->magic != MODULE_MAGIC))
		result = CUDA_INVALID_HANDLE;
	if (!result) {
		module->magic = 0;
		free(module);
	}
	return observe_leave(&call, result);
}

ENTRY(cuModuleUnload, void *module)
{
	return unload(22, "cuModuleUnload", module);
}

ENTRY(cuLibraryUnload, void *library)
{
	return unload(680, "cuLibraryUnload", library);
}

static int get_function(void **function, const struct module *module, const char *name)
{
	int failed = core_state();
	if (failed)
		return failed;
	if (!module || module->magic != MODULE_MAGIC)
		return CUDA_INVALID_HANDLE;
	if (!name || !*name || !function)
		return CUDA_INVALID_VALUE;
	*function = simgpu_kernel(name);
	return CUDA_OK;
}

ENTRY(cuModuleGetFunction, void **function, void *module, const char *name)
{
	return get_function(function, module, name);
}

ENTRY(cuLibraryGetKernel, void **kernel, void *library, const char *name)
{
	return get_function(kernel, library, name);
}

ENTRY(cuKernelGetFunction, void **function, void *kernel)
{
	*function = kernel;
	return kernel_of(kernel) ? CUDA_OK : CUDA_INVALID_HANDLE;
}

/* ---- functions ---- */

enum { FUNCTION_THREADS, FUNCTION_REGISTERS = 4, FUNCTION_PTX, FUNCTION_BINARY };
enum { FUNCTION_DYNAMIC_SHARED = 8 };

ENTRY(cuFuncGetAttribute, int *value, int attribute, void *function)
{
	const struct kernel *kernel = kernel_of(function);
	if (!kernel)
		return CUDA_INVALID_HANDLE;
	*value = attribute == FUNCTION_THREADS          ? 1024
			 : attribute == FUNCTION_REGISTERS      ? 32
			 : attribute == FUNCTION_PTX            ? settings()->capability
			 : attribute == FUNCTION_BINARY         ? settings()->capability
			 : attribute == FUNCTION_DYNAMIC_SHARED ? kernel->dynamic_shared
													: 0;
	return CUDA_OK;
}

ENTRY(cuFuncSetAttribute, void *function, int attribute, int value)
{
	struct kernel *kernel = kernel_of(function);
	if (!kernel)
		return CUDA_INVALID_HANDLE;
	if (attribute == FUNCTION_DYNAMIC_SHARED)
		kernel->dynamic_shared = value;
	return CUDA_OK;
}

ENTRY(cuFuncSetCacheConfig, void *function, int config)
{
	(void)config;
	return kernel_of(function) ? CUDA_OK : CUDA_INVALID_HANDLE;
}

ENTRY(cuFuncGetName, const char **name, void *function)
{
	*name = simgpu_kernel_name(function);
	return *name ? CUDA_OK : CUDA_INVALID_HANDLE;
}

/* Never 0: somebody divides by it. */
static int blocks_per_multiprocessor(int threads, size_t shared_bytes)
{
	size_t by_shared = 167936 / (shared_bytes + 1024);
	int by_threads = 2048 / (threads > 0 ? threads : 1);
	int blocks = by_threads < 32 ? by_threads : 32;
	blocks = (size_t)blocks < by_shared ? blocks : (int)by_shared;
	return blocks > 0 ? blocks : 1;
}

ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, void *function,
	  int threads, size_t shared_bytes, unsigned flags)
{
	(void)flags;
	if (!kernel_of(function))
		return CUDA_INVALID_HANDLE;
	*blocks = blocks_per_multiprocessor(threads, shared_bytes);
	return CUDA_OK;
}

ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, void *function, int threads,
	  size_t shared_bytes)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
																shared_bytes, 0);
}

/* ---- graphs ---- */

ENTRY(cuGraphInstantiateWithFlags, void **exec, void *graph, unsigned long long flags)
{
	const struct {
		void **exec, *graph;
		unsigned long long flags;
	} params = {exec, graph, flags};
	struct sim_observed call;
	int result = observe_enter(&call, 643, "cuGraphInstantiateWithFlags", &params, NULL);
	if (!result && !graph_of(graph))
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		*exec = graph_instantiate(graph);
		core_unlock();
	}
	return observe_leave(&call, result);
}

ENTRY(cuGraphExecDestroy, void *handle)
{
	struct graph_exec *exec = graph_exec_of(handle);
	struct sim_observed call;
	int result = observe_enter(&call, 516, "cuGraphExecDestroy", &handle, NULL);
	if (!result && !exec)
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		graph_exec_destroy(exec);
		core_unlock();
	}
	return observe_leave(&call, result);
}

ENTRY(cuGraphDestroy, void *handle)
{
	struct graph *graph = graph_of(handle);
	struct sim_observed call;
	int result = observe_enter(&call, 517, "cuGraphDestroy", &handle, NULL);
	if (!result && !graph)
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		graph_drop(graph);
		core_unlock();
	}
	return observe_leave(&call, result);
}

ENTRY(cuGraphUpload, void *exec, void *stream)
{
	(void)stream;
	return graph_exec_of(exec) ? core_state() : CUDA_INVALID_VALUE;
}

ENTRY(cuGraphGetNodes, void *handle, void **nodes, size_t *n)
{
	const struct graph *graph = graph_of(handle);
	int failed = core_state();
	if (failed || !graph || !n)
		return failed ? failed : CUDA_INVALID_VALUE;
	for (size_t i = 0; nodes && i < *n; i++)
		nodes[i] = i < graph->n ? graph->nodes[i] : NULL;
	if (!nodes || *n > graph->n)
		*n = graph->n;
	return CUDA_OK;
}

/* CUgraphNodeType: 0 kernel, 1 memcpy, 2 memset, 3 host. */
ENTRY(cuGraphNodeGetType, void *node, int *type)
{
	switch (((struct node *)node)->plan.kind) {
	case GPU_COPY:
		*type = 1;
		break;
	case GPU_MEMSET:
		*type = 2;
		break;
	case GPU_HOST_FUNC:
		*type = 3;
		break;
	default:
		*type = 0;
	}
	return core_state();
}
