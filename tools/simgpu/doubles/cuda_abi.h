/* What the doubles speak at their border: numbers and layouts of CUDA's public interface, declared
 * here because NVIDIA's headers are no part of a build. Results are int, handles void *. */
#ifndef SIMGPU_DOUBLES_CUDA_ABI_H
#define SIMGPU_DOUBLES_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The runtime's error numbers are the same wherever both interfaces have one. */
enum {
	CUDA_OK = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_INITIALIZED = 3,
	CUDA_DEINITIALIZED = 4,
	CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101,
	CUDA_INVALID_CONTEXT = 201,
	CUDA_FILE_NOT_FOUND = 301,
	CUDA_INVALID_HANDLE = 400,
	CUDA_ILLEGAL_STATE = 401,
	CUDA_NOT_FOUND = 500,
	CUDA_NOT_READY = 600,
	CUDA_ALREADY_REGISTERED = 712,
	CUDA_NOT_REGISTERED = 713,
	CUDA_NOT_SUPPORTED = 801,
	CUDA_CAPTURE_UNSUPPORTED = 900,
	CUDA_CAPTURE_INVALIDATED = 901,
	CUDA_CAPTURE_MERGE = 902,
	CUDA_CAPTURE_UNMATCHED = 903,
	CUDA_CAPTURE_UNJOINED = 904,
	CUDA_CAPTURE_ISOLATION = 905,
	CUDA_CAPTURE_IMPLICIT = 906,
	CUDA_CAPTURED_EVENT = 907,
	CUDA_CAPTURE_WRONG_THREAD = 908,
	CUDA_UNKNOWN = 999
};

enum { HANDLE_LEGACY = 1, HANDLE_PER_THREAD = 2 };
enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALID };
enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
enum { STREAM_FLAG_NON_BLOCKING = 1, EVENT_FLAG_NO_TIMING = 2 };
enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_MANAGED = 3 }; /* of a pointer attribute */

struct dim3 {
	uint32_t x, y, z;
};

struct cu_launch_config { /* CUlaunchConfig */
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	void *stream;
	void *attributes;
	uint32_t n_attributes;
};

struct cuda_launch_config { /* cudaLaunchConfig_t */
	struct dim3 grid, block;
	size_t shared_bytes;
	void *stream;
	void *attributes;
	uint32_t n_attributes;
};

struct cu_copy_2d { /* CUDA_MEMCPY2D; memory types 1 host, 2 device, 4 unified */
	size_t source_x, source_y;
	uint32_t source_type;
	const void *source_host;
	uint64_t source_device;
	void *source_array;
	size_t source_pitch;
	size_t target_x, target_y;
	uint32_t target_type;
	void *target_host;
	uint64_t target_device;
	void *target_array;
	size_t target_pitch;
	size_t width, height;
};

_Static_assert(sizeof(struct dim3) == 12, "dim3");
_Static_assert(sizeof(struct cu_launch_config) == 56, "CUlaunchConfig");
_Static_assert(sizeof(struct cuda_launch_config) == 56, "cudaLaunchConfig_t");
_Static_assert(sizeof(struct cu_copy_2d) == 128, "CUDA_MEMCPY2D");

#endif
