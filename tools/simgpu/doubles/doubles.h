/* What libcuda.so.1 offers the other doubles beside CUDA's driver interface: observed calls, kernels
 * by name, the calling thread's device. */
#ifndef SIMGPU_DOUBLES_DOUBLES_H
#define SIMGPU_DOUBLES_DOUBLES_H

#include "doubles/external.h"

#include <stddef.h>

struct sim_observed { /* one API call, on the caller's stack */
	struct sim_call call;
	const struct sim_observer *observer;
	bool outermost;
};

/* The begin of a runtime call: starts cuInit when it has not run. Driver calls made before
 * simgpu_runtime_leave() on this thread carry its correlation id. 0 or the CUresult. */
SIM_API int simgpu_runtime_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
								 const void *params, const char *symbol);
/* Makes the current device's primary context exist, as the runtime does on first use. */
SIM_API int simgpu_use_context(void);
/* Returns `result`. */
SIM_API int simgpu_runtime_leave(struct sim_observed *observed, int result);

/* A kernel by its mangled name; the handle is a CUfunction as well as a cudaKernel_t. */
SIM_API void *simgpu_kernel(const char *name);
/* NULL when the pointer is no kernel of ours. Any readable, 8-byte aligned address may be asked. */
SIM_API const char *simgpu_kernel_name(const void *kernel);

/* Who a visible device is; needs no cuInit, as NVML needs none. False: no such device. */
struct sim_identity {
	uint8_t uuid[16];
	char name[64];
	unsigned bus;
	int major, minor;
	size_t memory_bytes;
};
SIM_API bool simgpu_identity(int device, struct sim_identity *identity);

SIM_API int simgpu_set_device(int device);
/* Waits for the device and destroys its primary context. */
SIM_API int simgpu_reset_device(int device);
/* Device memory that a runtime variable stands for. */
SIM_API void *simgpu_allocate(size_t bytes);
/* A runtime of that version was loaded; the first decides when SIMGPU_CUDA does not. */
SIM_API void simgpu_runtime_loaded(int version);
SIM_API int simgpu_exchange_capture_mode(int mode);

/* A collective moves bytes that are known or not (values/known.h): asks for its source, and notes it
 * for its target. */
SIM_API bool simgpu_known(const void *address, size_t bytes);
SIM_API void simgpu_wrote(const void *target, size_t bytes, bool known);

struct sim_pointer { /* what an address is; MEMORY_* and the device, type 0: not ours */
	int type, device;
	void *start;
	size_t bytes;
};
SIM_API struct sim_pointer simgpu_pointer(const void *address);

#endif
