/* A libcuda.so.1 of launches: each function notes that it was called. */
#include "cuda.h"

#include <string.h>

struct cuda_double cuda_double;

#define LAUNCH(name)               \
	int name(void);                \
	int name(void)                 \
	{                              \
		cuda_double.last = #name;  \
		cuda_double.calls++;       \
		return cuda_double.result; \
	}

LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)
LAUNCH(cuLaunchKernelEx)
LAUNCH(cuLaunchKernelEx_ptsz)
LAUNCH(cuLaunchCooperativeKernel)
LAUNCH(cuLaunchCooperativeKernel_ptsz)
LAUNCH(cuGraphLaunch)
LAUNCH(cuGraphLaunch_ptsz)
LAUNCH(cuMemcpyAsync)
LAUNCH(cuLaunchKernelFancy)
LAUNCH(cuLaunchCooperativeKernelMultiDevice)

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
						void *status);
int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);

static const struct {
	const char *name;
	void *legacy, *per_thread;
} entries[] = {
	{"cuLaunchKernel", (void *)cuLaunchKernel, (void *)cuLaunchKernel_ptsz},
	{"cuLaunchKernelEx", (void *)cuLaunchKernelEx, (void *)cuLaunchKernelEx_ptsz},
	{"cuGraphLaunch", (void *)cuGraphLaunch, (void *)cuGraphLaunch_ptsz},
	{"cuMemcpyAsync", (void *)cuMemcpyAsync, (void *)cuMemcpyAsync},
	{"cuLaunchKernelFancy", (void *)cuLaunchKernelFancy, (void *)cuLaunchKernelFancy},
};

int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
	*function = NULL;
	if (strcmp(symbol, "cuGetProcAddress") == 0)
		*function = version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strcmp(symbol, entries[i].name) == 0)
			*function = flags & 2 ? entries[i].per_thread : entries[i].legacy;
	return *function ? 0 : 500;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
						void *status)
{
	int result = cuGetProcAddress(symbol, function, version, flags);
	if (status)
		*(int *)status = result ? 1 : 0;
	return result;
}
