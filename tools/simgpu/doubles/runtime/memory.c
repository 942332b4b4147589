/* Memory and copies. */
#include "doubles/runtime/runtime.h"

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

API(cudaMalloc, void **address, size_t bytes)
{
	const struct {
		void **address;
		size_t bytes;
	} params = {address, bytes};
	struct sim_observed call;
	int result = runtime_enter(&call, 20, "cudaMalloc", &params);
	if (!result && !bytes)
		*address = NULL;
	else if (!result)
		result = driver(false)->cuMemAlloc((uint64_t *)address, bytes);
	return runtime_leave(&call, result);
}

API(cudaMallocManaged, void **address, size_t bytes, unsigned flags)
{
	const struct {
		void **address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	int result = runtime_enter(&call, 206, "cudaMallocManaged", &params);
	if (!result)
		result = driver(false)->cuMemAllocManaged((uint64_t *)address, bytes, flags);
	return runtime_leave(&call, result);
}

API(cudaFree, void *address)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 22, "cudaFree", &address);
	if (!result && address)
		result = driver(false)->cuMemFree((uintptr_t)address);
	return runtime_leave(&call, result);
}

#define MALLOC_ASYNC_API(name_, cbid_, per_thread_)                                            \
	API(name_, void **address, size_t bytes, void *stream)                                     \
	{                                                                                          \
		const struct {                                                                         \
			void **address;                                                                    \
			size_t bytes;                                                                      \
			void *stream;                                                                      \
		} params = {address, bytes, stream};                                                   \
		struct sim_observed call;                                                              \
		int result = runtime_enter(&call, cbid_, #name_, &params);                             \
		if (!result)                                                                           \
			result = driver(per_thread_)->cuMemAllocAsync((uint64_t *)address, bytes, stream); \
		return runtime_leave(&call, result);                                                   \
	}

#define FREE_ASYNC_API(name_, cbid_, per_thread_)                                     \
	API(name_, void *address, void *stream)                                           \
	{                                                                                 \
		const struct {                                                                \
			void *address, *stream;                                                   \
		} params = {address, stream};                                                 \
		struct sim_observed call;                                                     \
		int result = runtime_enter(&call, cbid_, #name_, &params);                    \
		if (!result)                                                                  \
			result = driver(per_thread_)->cuMemFreeAsync((uintptr_t)address, stream); \
		return runtime_leave(&call, result);                                          \
	}

MALLOC_ASYNC_API(cudaMallocAsync, 373, false)
MALLOC_ASYNC_API(cudaMallocAsync_ptsz, 374, true)
FREE_ASYNC_API(cudaFreeAsync, 375, false)
FREE_ASYNC_API(cudaFreeAsync_ptsz, 376, true)

API(cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 30, "cudaMemGetInfo", NULL);
	if (!result)
		result = driver(false)->cuMemGetInfo(free_bytes, total_bytes);
	return runtime_leave(&call, result);
}

/* ---- the pools behind it ---- */

FORWARD_API(cudaDeviceGetDefaultMemPool, 372,
			driver(false)->cuDeviceGetDefaultMemPool(pool, device),
			FIELDS(void **pool; int device;), VALUES(pool, device), void **pool, int device)
FORWARD_API(cudaDeviceGetMemPool, 386, driver(false)->cuDeviceGetMemPool(pool, device),
			FIELDS(void **pool; int device;), VALUES(pool, device), void **pool, int device)
FORWARD_API(cudaMemPoolTrimTo, 377, driver(false)->cuMemPoolTrimTo(pool, keep),
			FIELDS(void *pool; size_t keep;), VALUES(pool, keep), void *pool, size_t keep)
FORWARD_API(cudaMemPoolSetAttribute, 378,
			driver(false)->cuMemPoolSetAttribute(pool, attribute, value),
			FIELDS(void *pool; int attribute; void *value;), VALUES(pool, attribute, value),
			void *pool, int attribute, void *value)
FORWARD_API(cudaMemPoolGetAttribute, 379,
			driver(false)->cuMemPoolGetAttribute(pool, attribute, value),
			FIELDS(void *pool; int attribute; void *value;), VALUES(pool, attribute, value),
			void *pool, int attribute, void *value)
FORWARD_API(cudaMemPoolSetAccess, 380, driver(false)->cuMemPoolSetAccess(pool, descriptors, n),
			FIELDS(void *pool; const void *descriptors; size_t n;), VALUES(pool, descriptors, n),
			void *pool, const void *descriptors, size_t n)

/* Graphs here own no memory. */
API(cudaDeviceGetGraphMemAttribute, int device, int attribute, uint64_t *value)
{
	(void)attribute;
	*value = 0;
	return runtime_result(device >= 0 && device < simgpu_devices() ? CUDA_OK : CUDA_INVALID_DEVICE);
}

API(cudaDeviceSetGraphMemAttribute, int device, int attribute, const uint64_t *value)
{
	(void)attribute, (void)value;
	return runtime_result(device >= 0 && device < simgpu_devices() ? CUDA_OK : CUDA_INVALID_DEVICE);
}

/* ---- host memory ---- */

API(cudaHostAlloc, void **address, size_t bytes, unsigned flags)
{
	const struct {
		void **address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	int result = runtime_enter(&call, 27, "cudaHostAlloc", &params);
	if (!result)
		result = driver(false)->cuMemHostAlloc(address, bytes, flags);
	return runtime_leave(&call, result);
}

API(cudaMallocHost, void **address, size_t bytes)
{
	const struct {
		void **address;
		size_t bytes;
	} params = {address, bytes};
	struct sim_observed call;
	int result = runtime_enter(&call, 25, "cudaMallocHost", &params);
	if (!result)
		result = driver(false)->cuMemHostAlloc(address, bytes, 0);
	return runtime_leave(&call, result);
}

API(cudaFreeHost, void *address)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 26, "cudaFreeHost", &address);
	if (!result && address)
		result = driver(false)->cuMemFreeHost(address);
	return runtime_leave(&call, result);
}

API(cudaHostRegister, void *address, size_t bytes, unsigned flags)
{
	const struct {
		void *address;
		size_t bytes;
		unsigned flags;
	} params = {address, bytes, flags};
	struct sim_observed call;
	int result = runtime_enter(&call, 152, "cudaHostRegister", &params);
	if (!result)
		result = driver(false)->cuMemHostRegister(address, bytes, flags);
	return runtime_leave(&call, result);
}

API(cudaHostUnregister, void *address)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 153, "cudaHostUnregister", &address);
	if (!result)
		result = driver(false)->cuMemHostUnregister(address);
	return runtime_leave(&call, result);
}

API(cudaHostGetDevicePointer, void **device, void *host, unsigned flags)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 28, "cudaHostGetDevicePointer", NULL);
	if (!result)
		result = driver(false)->cuMemHostGetDevicePointer((uint64_t *)device, host, flags);
	return runtime_leave(&call, result);
}

struct pointer_attributes { /* cudaPointerAttributes */
	int type, device;
	void *device_pointer, *host_pointer;
#if CUDART_MAJOR >= 13
	long reserved[8];
#endif
};

API(cudaPointerGetAttributes, struct pointer_attributes *out, const void *address)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 151, "cudaPointerGetAttributes", NULL);
	if (!result) {
		struct sim_pointer pointer = simgpu_pointer(address);
		void *same = (void *)address;
		*out = (struct pointer_attributes){.type = pointer.type, .device = pointer.device};
		if (pointer.type == MEMORY_HOST)
			out->device = simgpu_device();
		if (!pointer.type)
			out->device = -2; /* cudaInvalidDeviceId */
		out->device_pointer = pointer.type ? same : NULL;
		out->host_pointer = pointer.type == MEMORY_DEVICE ? NULL : same;
	}
	return runtime_leave(&call, result);
}

/* ---- copies ---- */

static int copy(const struct driver_table *cu, void *to, const void *from, size_t bytes, int kind)
{
	switch (kind) {
	case HOST_TO_DEVICE:
		return cu->cuMemcpyHtoD((uintptr_t)to, from, bytes);
	case DEVICE_TO_HOST:
		return cu->cuMemcpyDtoH(to, (uintptr_t)from, bytes);
	case DEVICE_TO_DEVICE:
		return cu->cuMemcpyDtoD((uintptr_t)to, (uintptr_t)from, bytes);
	case HOST_TO_HOST:
	case BY_ADDRESS:
		return cu->cuMemcpy((uintptr_t)to, (uintptr_t)from, bytes);
	}
	return 21; /* cudaErrorInvalidMemcpyDirection */
}

static int copy_async(const struct driver_table *cu, void *to, const void *from, size_t bytes,
					  int kind, void *stream)
{
	switch (kind) {
	case HOST_TO_DEVICE:
		return cu->cuMemcpyHtoDAsync((uintptr_t)to, from, bytes, stream);
	case DEVICE_TO_HOST:
		return cu->cuMemcpyDtoHAsync(to, (uintptr_t)from, bytes, stream);
	case DEVICE_TO_DEVICE:
		return cu->cuMemcpyDtoDAsync((uintptr_t)to, (uintptr_t)from, bytes, stream);
	case HOST_TO_HOST:
	case BY_ADDRESS:
		return cu->cuMemcpyAsync((uintptr_t)to, (uintptr_t)from, bytes, stream);
	}
	return 21;
}

API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
	const struct {
		void *to;
		const void *from;
		size_t bytes;
		int kind;
	} params = {to, from, bytes, kind};
	struct sim_observed call;
	int result = runtime_enter(&call, 31, "cudaMemcpy", &params);
	if (!result)
		result = copy(driver(false), to, from, bytes, kind);
	return runtime_leave(&call, result);
}

#define COPY_ASYNC_API(name_, cbid_, per_thread_)                                    \
	API(name_, void *to, const void *from, size_t bytes, int kind, void *stream)     \
	{                                                                                \
		const struct {                                                               \
			void *to;                                                                \
			const void *from;                                                        \
			size_t bytes;                                                            \
			int kind;                                                                \
			void *stream;                                                            \
		} params = {to, from, bytes, kind, stream};                                  \
		struct sim_observed call;                                                    \
		int result = runtime_enter(&call, cbid_, #name_, &params);                   \
		if (!result)                                                                 \
			result = copy_async(driver(per_thread_), to, from, bytes, kind, stream); \
		return runtime_leave(&call, result);                                         \
	}

COPY_ASYNC_API(cudaMemcpyAsync, 41, false)
COPY_ASYNC_API(cudaMemcpyAsync_ptsz, 225, true)

struct rectangle {
	void *to;
	size_t to_pitch;
	const void *from;
	size_t from_pitch, width, height;
	int kind;
};

static struct cu_copy_2d copy_2d(const struct rectangle *r)
{
	return (struct cu_copy_2d){.source_type = 4,
							   .source_device = (uintptr_t)r->from,
							   .source_pitch = r->from_pitch,
							   .target_type = 4,
							   .target_device = (uintptr_t)r->to,
							   .target_pitch = r->to_pitch,
							   .width = r->width,
							   .height = r->height};
}

API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind)
{
	struct rectangle params = {to, to_pitch, from, from_pitch, width, height, kind};
	struct cu_copy_2d plan = copy_2d(&params);
	struct sim_observed call;
	int result = runtime_enter(&call, 32, "cudaMemcpy2D", &params);
	if (!result)
		result = driver(false)->cuMemcpy2D(&plan);
	return runtime_leave(&call, result);
}

API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind, void *stream)
{
	const struct {
		struct rectangle rectangle;
		void *stream;
	} params = {{to, to_pitch, from, from_pitch, width, height, kind}, stream};
	struct cu_copy_2d plan = copy_2d(&params.rectangle);
	struct sim_observed call;
	int result = runtime_enter(&call, 44, "cudaMemcpy2DAsync", &params);
	if (!result)
		result = driver(false)->cuMemcpy2DAsync(&plan, stream);
	return runtime_leave(&call, result);
}

API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
	void *stream)
{
	const struct {
		void *to;
		int to_device;
		const void *from;
		int from_device;
		size_t bytes;
		void *stream;
	} params = {to, to_device, from, from_device, bytes, stream};
	struct sim_observed call;
	int result = runtime_enter(&call, 161, "cudaMemcpyPeerAsync", &params);
	if (!result)
		result = driver(false)->cuMemcpyPeerAsync((uintptr_t)to, NULL, (uintptr_t)from, NULL, bytes,
												  stream);
	return runtime_leave(&call, result);
}

API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	const struct {
		void *to;
		int to_device;
		const void *from;
		int from_device;
		size_t bytes;
	} params = {to, to_device, from, from_device, bytes};
	struct sim_observed call;
	int result = runtime_enter(&call, 160, "cudaMemcpyPeer", &params);
	if (!result)
		result = driver(false)->cuMemcpyPeerAsync((uintptr_t)to, NULL, (uintptr_t)from, NULL, bytes,
												  NULL);
	return runtime_leave(&call, result);
}

API(cudaMemset, void *to, int value, size_t bytes)
{
	const struct {
		void *to;
		int value;
		size_t bytes;
	} params = {to, value, bytes};
	struct sim_observed call;
	int result = runtime_enter(&call, 49, "cudaMemset", &params);
	if (!result)
		result = driver(false)->cuMemsetD8((uintptr_t)to, (unsigned char)value, bytes);
	return runtime_leave(&call, result);
}

#define SET_ASYNC_API(name_, cbid_, per_thread_)                                                \
	API(name_, void *to, int value, size_t bytes, void *stream)                                 \
	{                                                                                           \
		const struct {                                                                          \
			void *to;                                                                           \
			int value;                                                                          \
			size_t bytes;                                                                       \
			void *stream;                                                                       \
		} params = {to, value, bytes, stream};                                                  \
		struct sim_observed call;                                                               \
		int result = runtime_enter(&call, cbid_, #name_, &params);                              \
		if (!result)                                                                            \
			result = driver(per_thread_)                                                        \
						 ->cuMemsetD8Async((uintptr_t)to, (unsigned char)value, bytes, stream); \
		return runtime_leave(&call, result);                                                    \
	}

SET_ASYNC_API(cudaMemsetAsync, 51, false)
SET_ASYNC_API(cudaMemsetAsync_ptsz, 235, true)
