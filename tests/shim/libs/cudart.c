/* A libcudart.so.12 that reaches the driver as the real one does: one dlsym, for
 * cuGetProcAddress_v2, which it asks for the rest. */
#include "cuda.h"

#include <dlfcn.h>

typedef int (*launch)(const void *function, size_t shared, void *stream);

static launch driver(const char *name)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *found = NULL;
	int (*get)(const char *, void **, int, uint64_t, void *) =
		(int (*)(const char *, void **, int, uint64_t, void *))dlsym(cuda, "cuGetProcAddress_v2");
	get(name, &found, 12000, 0, NULL);
	return (launch)found;
}

#define KERNEL(name, entry)                                                          \
	int name(const void *function, struct dim3 grid, struct dim3 block, void **args, \
			 size_t shared, void *stream)                                            \
	{                                                                                \
		struct cuda_double *seen = &cuda_double;                                     \
		seen->middle = #name;                                                        \
		seen->function = function, seen->grid = grid, seen->block = block;           \
		seen->args = args, seen->shared = shared, seen->stream = stream;             \
		return driver(entry)(function, shared, stream);                              \
	}

KERNEL(cudaLaunchKernel, "cuLaunchKernel")
KERNEL(__cudaLaunchKernel, "cuLaunchKernel")
KERNEL(cudaLaunchCooperativeKernel, "cuLaunchKernel")

int cudaLaunchKernelExC(const void *config, const void *function, void **args)
{
	cuda_double.middle = "cudaLaunchKernelExC";
	cuda_double.function = config;
	cuda_double.args = args;
	return driver("cuLaunchKernelEx")(function, 0, NULL);
}

int cudaGraphLaunch(void *graph, void *stream)
{
	cuda_double.middle = "cudaGraphLaunch";
	return driver("cuGraphLaunch")(graph, 0, stream);
}
