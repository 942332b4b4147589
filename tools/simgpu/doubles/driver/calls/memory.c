/* Memory: allocate, free, pin. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/memory/memory.h"
#include "doubles/driver/memory/pool.h"
#include "doubles/driver/stream/capture.h"

static int allocate(uint64_t *address, size_t bytes, bool managed, struct context *context)
{
	void *start = NULL;
	core_lock();
	int result = capture_allows();
	core_unlock();
	if (!result)
		result = memory_allocate(context->device, bytes, managed, &start);
	if (!result)
		*address = (uintptr_t)start;
	return result;
}

ENTRY(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
	const struct {
		uint64_t *address;
		size_t bytes;
	} params = {address, bytes};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 243, "cuMemAlloc_v2", &params, &context);
	if (!result)
		result = allocate(address, bytes, false, context);
	return observe_leave(&call, result);
}

ENTRY(cuMemAllocManaged, uint64_t *address, size_t bytes, unsigned flags)
{
	const struct {
		uint64_t *address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 371, "cuMemAllocManaged", &params, &context);
	if (!result)
		result = allocate(address, bytes, true, context);
	return observe_leave(&call, result);
}

/* Waits for the device: the memory may be in use. */
ENTRY(cuMemFree_v2, uint64_t address)
{
	struct sim_observed call;
	int result = observe_enter(&call, 245, "cuMemFree_v2", &address, NULL);
	if (!result && address) {
		int device = memory_device((void *)address);
		core_lock();
		result = capture_allows();
		if (!result && device >= 0)
			context_wait(context_of(device), INT64_MAX);
		core_unlock();
		if (!result && memory_free((void *)address) < 0)
			result = CUDA_INVALID_VALUE;
	}
	return observe_leave(&call, result);
}

/* In stream order: bytes move when calls are made, so both may happen at once. */
ENTRY(cuMemAllocAsync, uint64_t *address, size_t bytes, void *stream)
{
	const struct {
		uint64_t *address;
		size_t bytes;
		void *stream;
	} params = {address, bytes, stream};
	struct sim_observed call;
	struct context *context;
	void *start;
	int result = entry_enter(&call, 598, "cuMemAllocAsync", &params, &context);
	if (!result)
		result = memory_allocate(context->device, bytes, false, &start);
	if (!result) {
		*address = (uintptr_t)start;
		memory_range(start, NULL, &bytes);
		pool_took(context->device, bytes);
	}
	return observe_leave(&call, result);
}

ENTRY(cuMemFreeAsync, uint64_t address, void *stream)
{
	const struct {
		uint64_t address;
		void *stream;
	} params = {address, stream};
	struct sim_observed call;
	size_t bytes = 0;
	int result = observe_enter(&call, 600, "cuMemFreeAsync", &params, NULL);
	if (!result)
		memory_range((void *)address, NULL, &bytes);
	int device = result ? 0 : memory_free((void *)address);
	if (!result && device >= 0)
		pool_gave(device, bytes);
	else if (!result)
		result = CUDA_INVALID_VALUE;
	return observe_leave(&call, result);
}

ENTRY(cuMemGetInfo_v2, size_t *free_bytes, size_t *total_bytes)
{
	const struct {
		size_t *free_bytes, *total_bytes;
	} params = {free_bytes, total_bytes};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 242, "cuMemGetInfo_v2", &params, &context);
	if (!result)
		memory_info(context->device, free_bytes, total_bytes);
	return observe_leave(&call, result);
}

ENTRY(cuMemGetAddressRange_v2, uint64_t *start, size_t *bytes, uint64_t address)
{
	void *at = NULL;
	int failed = core_state();
	if (!failed && !memory_range((void *)address, &at, bytes))
		failed = CUDA_NOT_FOUND;
	if (!failed && start)
		*start = (uintptr_t)at;
	return failed;
}

enum { POINTER_CONTEXT = 1, POINTER_TYPE, POINTER_DEVICE, POINTER_HOST, POINTER_MANAGED = 8 };
enum { POINTER_ORDINAL = 9, POINTER_START, POINTER_BYTES };

ENTRY(cuPointerGetAttribute, void *out, int attribute, uint64_t address)
{
	struct sim_pointer pointer = simgpu_pointer((void *)address);
	int failed = core_state();
	if (failed || !pointer.type)
		return failed ? failed : CUDA_INVALID_VALUE;
	switch (attribute) {
	case POINTER_CONTEXT:
		*(void **)out = context_current();
		return CUDA_OK;
	case POINTER_TYPE:
		*(unsigned *)out = pointer.type == MEMORY_HOST ? 1 : 2;
		return CUDA_OK;
	case POINTER_DEVICE:
	case POINTER_HOST:
		*(uint64_t *)out = address;
		return CUDA_OK;
	case POINTER_MANAGED:
		*(unsigned *)out = pointer.type == MEMORY_MANAGED;
		return CUDA_OK;
	case POINTER_ORDINAL:
		*(int *)out = pointer.device;
		return CUDA_OK;
	case POINTER_START:
		*(void **)out = pointer.start;
		return CUDA_OK;
	case POINTER_BYTES:
		*(size_t *)out = pointer.bytes;
		return CUDA_OK;
	}
	return CUDA_NOT_SUPPORTED;
}

/* ---- host memory ---- */

ENTRY(cuMemHostAlloc, void **address, size_t bytes, unsigned flags)
{
	const struct {
		void **address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 39, "cuMemHostAlloc", &params, &context);
	if (!result)
		result = memory_host_allocate(bytes, address);
	return observe_leave(&call, result);
}

ENTRY(cuMemAllocHost_v2, void **address, size_t bytes)
{
	const struct {
		void **address;
		size_t bytes;
	} params = {address, bytes};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 294, "cuMemAllocHost_v2", &params, &context);
	if (!result)
		result = memory_host_allocate(bytes, address);
	return observe_leave(&call, result);
}

typedef int on_host_memory(void *address);

static int with_host(uint32_t cbid, const char *name, void *address, on_host_memory *act)
{
	struct sim_observed call;
	int result = observe_enter(&call, cbid, name, &address, NULL);
	if (!result) {
		core_lock(); /* what may still copy from there has to be over */
		for (int i = 0; i < settings()->devices; i++)
			context_wait(context_of(i), INT64_MAX);
		core_unlock();
		result = act(address);
	}
	return observe_leave(&call, result);
}

ENTRY(cuMemFreeHost, void *address)
{
	return with_host(38, "cuMemFreeHost", address, memory_host_free);
}

ENTRY(cuMemHostUnregister, void *address)
{
	return with_host(302, "cuMemHostUnregister", address, memory_host_unregister);
}

ENTRY(cuMemHostRegister_v2, void *address, size_t bytes, unsigned flags)
{
	const struct {
		void *address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 379, "cuMemHostRegister_v2", &params, &context);
	if (!result)
		result = memory_host_register(address, bytes);
	return observe_leave(&call, result);
}

ENTRY(cuMemHostGetDevicePointer_v2, uint64_t *device, void *host, unsigned flags)
{
	(void)flags;
	int failed = core_state();
	if (!failed && !memory_pinned(host))
		failed = CUDA_INVALID_VALUE;
	if (!failed)
		*device = (uintptr_t)host;
	return failed;
}

void *simgpu_allocate(size_t bytes)
{
	void *address = NULL;
	return memory_allocate(simgpu_device(), bytes, false, &address) ? NULL : address;
}
