#include "doubles/nccl/context.h"

#include "doubles/external.h"

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuMemAlloc_v2(unsigned long long *ptr, size_t bytes);
int cuMemFree_v2(unsigned long long ptr);
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
						 void *stream);

bool context_enter(int device)
{
	void *context;

	if (simgpu_init() || simgpu_device() == device)
		return false;
	return !cuDevicePrimaryCtxRetain(&context, device) && !cuCtxPushCurrent_v2(context);
}

void context_leave(void)
{
	void *context;

	cuCtxPopCurrent_v2(&context);
}

int context_alloc(void **ptr, size_t bytes)
{
	unsigned long long address = 0;
	int status = cuMemAlloc_v2(&address, bytes);

	*ptr = (void *)(uintptr_t)address;
	return status;
}

int context_free(void *ptr)
{
	return cuMemFree_v2((uintptr_t)ptr);
}

int context_copy(void *to, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyDtoDAsync_v2((uintptr_t)to, (uintptr_t)from, bytes, stream);
}
