/* Ops whose end is decided outside of the engine: the kernels of the libnccl double. The libcuda
 * double exports these functions. */
#ifndef SIMGPU_DOUBLES_EXTERNAL_H
#define SIMGPU_DOUBLES_EXTERNAL_H

#include "doubles/observe.h"

struct sim_external {
	const char *name; /* mangled kernel name, static storage */
	void *stream;     /* cudaStream_t / CUstream, also the default ones */
	uint32_t grid;
	void (*started)(void *who, int64_t start_ns); /* on the engine's thread, no lock held */
	void *who;
};

struct sim_external_op;

/* Launches it as NCCL does, by a driver call cuLaunchKernelEx on the calling thread (observers see
 * it). NULL when the stream is not one of ours or is being captured. */
SIM_API struct sim_external_op *simgpu_launch_external(const struct sim_external *external);
/* The op ends at end_ns, also when that has passed: what waits for it goes on now. Once; frees the
 * handle. Any thread. */
SIM_API void simgpu_end_external(struct sim_external_op *op, int64_t end_ns);
/* The device a stream belongs to (the default streams: the current device), -1 when unknown; the
 * calling thread's current device; how many there are. */
SIM_API int simgpu_stream_device(void *stream);
SIM_API int simgpu_device(void);
SIM_API int simgpu_devices(void);

#endif
