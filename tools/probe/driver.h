/* The CUDA driver's border: what the probe calls of libcuda, declared by ourselves, found with
 * dlsym. Each may be missing; who needs one asks result_have first. */
#ifndef PROBE_DRIVER_H
#define PROBE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_CAPTURE_THREAD_LOCAL = 1,
	CUDA_ATTRIBUTE_SMS = 16,
	CUDA_ATTRIBUTE_CC_MAJOR = 75,
	CUDA_ATTRIBUTE_CC_MINOR = 76
};

#define DRIVER_FUNCTIONS(X)                                                                       \
	X(init, "cuInit", (unsigned flags))                                                           \
	X(version, "cuDriverGetVersion", (int *version))                                              \
	X(device_count, "cuDeviceGetCount", (int *count))                                             \
	X(device_get, "cuDeviceGet", (int *device, int index))                                        \
	X(device_name, "cuDeviceGetName", (char *name, int length, int device))                       \
	X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))          \
	X(primary_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                   \
	X(primary_reset, "cuDevicePrimaryCtxReset_v2", (int device))                                  \
	X(set_current, "cuCtxSetCurrent", (void *context))                                            \
	X(synchronize, "cuCtxSynchronize", (void))                                                    \
	X(module_load, "cuModuleLoadData", (void **module, const void *image))                        \
	X(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))  \
	X(launch, "cuLaunchKernel",                                                                   \
	  (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,           \
	   unsigned bz, unsigned shared_bytes, void *stream, void **params, void **extra))            \
	X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                           \
	X(stream_synchronize, "cuStreamSynchronize", (void *stream))                                  \
	X(stream_wait_event, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))        \
	X(event_create, "cuEventCreate", (void **event, unsigned flags))                              \
	X(event_record, "cuEventRecord", (void *event, void *stream))                                 \
	X(event_synchronize, "cuEventSynchronize", (void *event))                                     \
	X(host_func, "cuLaunchHostFunc", (void *stream, void (*function)(void *), void *data))        \
	X(mem_alloc, "cuMemAlloc_v2", (uint64_t * address, size_t bytes))                             \
	X(host_alloc, "cuMemHostAlloc", (void **address, size_t bytes, unsigned flags))               \
	X(to_device, "cuMemcpyHtoDAsync_v2",                                                          \
	  (uint64_t to, const void *from, size_t bytes, void *stream))                                \
	X(to_host, "cuMemcpyDtoHAsync_v2", (void *to, uint64_t from, size_t bytes, void *stream))     \
	X(memset8, "cuMemsetD8Async", (uint64_t to, unsigned char value, size_t bytes, void *stream)) \
	X(capture_begin, "cuStreamBeginCapture_v2", (void *stream, int mode))                         \
	X(capture_end, "cuStreamEndCapture", (void *stream, void **graph))                            \
	X(graph_instantiate, "cuGraphInstantiateWithFlags",                                           \
	  (void **exec, void *graph, unsigned long long flags))                                       \
	X(graph_launch, "cuGraphLaunch", (void *exec, void *stream))

struct driver {
#define DRIVER_MEMBER(member, symbol, arguments) int(*member) arguments;
	DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

extern struct driver cuda;

/* Opens libcuda (path, or by its soname) and calls cuInit: 0, or an errno with the reason in why.
 */
int driver_open(const char *path, char *why, size_t why_bytes);
/* Any other function of the library that was opened, NULL when it has none of that name. */
void driver_symbol(const char *name, void *function, size_t bytes);

#endif
