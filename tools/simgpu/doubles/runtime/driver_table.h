/* The driver as the runtime sees it: found the way NVIDIA's runtime finds it, by
 * dlsym("cuGetProcAddress_v2") in libcuda.so.1 and then name by name, so that whoever intercepts
 * one of the two sees what he would see there. */
#ifndef SIMGPU_DOUBLES_RUNTIME_DRIVER_TABLE_H
#define SIMGPU_DOUBLES_RUNTIME_DRIVER_TABLE_H

#include "doubles/cuda_abi.h"

#include <stdbool.h>

#define DRIVER_CALLS(X)                                                                     \
	X(cuDriverGetVersion, (int *))                                                          \
	X(cuDeviceGetAttribute, (int *, int, int))                                              \
	X(cuDeviceGetName, (char *, int, int))                                                  \
	X(cuDeviceGetUuid, (uint8_t *, int))                                                    \
	X(cuDeviceGetPCIBusId, (char *, int, int))                                              \
	X(cuProfilerStart, (void))                                                              \
	X(cuProfilerStop, (void))                                                               \
	X(cuDeviceGetDefaultMemPool, (void **, int))                                            \
	X(cuDeviceGetMemPool, (void **, int))                                                   \
	X(cuMemPoolSetAttribute, (void *, int, const void *))                                   \
	X(cuMemPoolGetAttribute, (void *, int, void *))                                         \
	X(cuMemPoolTrimTo, (void *, size_t))                                                    \
	X(cuMemPoolSetAccess, (void *, const void *, size_t))                                   \
	X(cuDeviceTotalMem, (size_t *, int))                                                    \
	X(cuDeviceCanAccessPeer, (int *, int, int))                                             \
	X(cuCtxSynchronize, (void))                                                             \
	X(cuMemAlloc, (uint64_t *, size_t))                                                     \
	X(cuMemAllocManaged, (uint64_t *, size_t, unsigned))                                    \
	X(cuMemFree, (uint64_t))                                                                \
	X(cuMemAllocAsync, (uint64_t *, size_t, void *))                                        \
	X(cuMemFreeAsync, (uint64_t, void *))                                                   \
	X(cuMemGetInfo, (size_t *, size_t *))                                                   \
	X(cuMemHostAlloc, (void **, size_t, unsigned))                                          \
	X(cuMemFreeHost, (void *))                                                              \
	X(cuMemHostRegister, (void *, size_t, unsigned))                                        \
	X(cuMemHostUnregister, (void *))                                                        \
	X(cuMemHostGetDevicePointer, (uint64_t *, void *, unsigned))                            \
	X(cuMemcpy, (uint64_t, uint64_t, size_t))                                               \
	X(cuMemcpyHtoD, (uint64_t, const void *, size_t))                                       \
	X(cuMemcpyDtoH, (void *, uint64_t, size_t))                                             \
	X(cuMemcpyDtoD, (uint64_t, uint64_t, size_t))                                           \
	X(cuMemcpyAsync, (uint64_t, uint64_t, size_t, void *))                                  \
	X(cuMemcpyHtoDAsync, (uint64_t, const void *, size_t, void *))                          \
	X(cuMemcpyDtoHAsync, (void *, uint64_t, size_t, void *))                                \
	X(cuMemcpyDtoDAsync, (uint64_t, uint64_t, size_t, void *))                              \
	X(cuMemcpyPeerAsync, (uint64_t, void *, uint64_t, void *, size_t, void *))              \
	X(cuMemcpy2D, (const struct cu_copy_2d *))                                              \
	X(cuMemcpy2DAsync, (const struct cu_copy_2d *, void *))                                 \
	X(cuMemsetD8, (uint64_t, unsigned char, size_t))                                        \
	X(cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *))                           \
	X(cuStreamCreateWithPriority, (void **, unsigned, int))                                 \
	X(cuStreamDestroy, (void *))                                                            \
	X(cuStreamSynchronize, (void *))                                                        \
	X(cuStreamQuery, (void *))                                                              \
	X(cuStreamWaitEvent, (void *, void *, unsigned))                                        \
	X(cuStreamGetFlags, (void *, unsigned *))                                               \
	X(cuStreamGetPriority, (void *, int *))                                                 \
	X(cuStreamGetId, (void *, unsigned long long *))                                        \
	X(cuStreamBeginCapture, (void *, int))                                                  \
	X(cuStreamEndCapture, (void *, void *))                                                 \
	X(cuStreamIsCapturing, (void *, int *))                                                 \
	X(cuStreamGetCaptureInfo,                                                               \
	  (void *, int *, uint64_t *, void **, const void ***, const void **, size_t *))        \
	X(cuEventCreate, (void **, unsigned))                                                   \
	X(cuEventDestroy, (void *))                                                             \
	X(cuEventRecord, (void *, void *))                                                      \
	X(cuEventRecordWithFlags, (void *, void *, unsigned))                                   \
	X(cuEventQuery, (void *))                                                               \
	X(cuEventSynchronize, (void *))                                                         \
	X(cuEventElapsedTime, (float *, void *, void *))                                        \
	X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
					   unsigned, void *, void **, void **))                                 \
	X(cuLaunchKernelEx, (const struct cu_launch_config *, void *, void **, void **))        \
	X(cuLaunchCooperativeKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, \
								  unsigned, unsigned, void *, void **))                     \
	X(cuLaunchHostFunc, (void *, void (*)(void *), void *))                                 \
	X(cuFuncGetAttribute, (int *, int, void *))                                             \
	X(cuFuncSetAttribute, (void *, int, int))                                               \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                 \
	  (int *, void *, int, size_t, unsigned))                                               \
	X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                   \
	X(cuGraphLaunch, (void *, void *))                                                      \
	X(cuGraphUpload, (void *, void *))                                                      \
	X(cuGraphExecDestroy, (void *))                                                         \
	X(cuGraphDestroy, (void *))                                                             \
	X(cuGraphGetNodes, (void *, void **, size_t *))                                         \
	X(cuGraphNodeGetType, (void *, int *))                                                  \
	X(cuGetErrorName, (int, const char **))                                                 \
	X(cuGetErrorString, (int, const char **))

struct driver_table {
#define DRIVER_FIELD(name_, parameters_) int(*name_) parameters_;
	DRIVER_CALLS(DRIVER_FIELD)
#undef DRIVER_FIELD
};

/* Per-thread: the `_ptsz` entries, for which stream 0 is the thread's own. */
const struct driver_table *driver(bool per_thread);
/* What cudaGetDriverEntryPoint asks: the driver's status, the function or NULL. */
int driver_find(const char *name, int version, unsigned long long flags, void **function,
				int *status);

#endif
