/* The entries of libcudart: each is a call to the driver, seen by the observer around it. */
#ifndef SIMGPU_DOUBLES_RUNTIME_RUNTIME_H
#define SIMGPU_DOUBLES_RUNTIME_RUNTIME_H

#include "doubles/cuda_abi.h"
#include "doubles/doubles.h"
#include "doubles/runtime/driver_table.h"

/* Begins the definition of an exported function. */
#define API_OF(type_, name_, ...)     \
	SIM_API type_ name_(__VA_ARGS__); \
	type_ name_(__VA_ARGS__)
#define API(name_, ...) API_OF(int, name_, __VA_ARGS__)

/* A call that is one driver call with the same parameters. */
#define FORWARD_API(name_, cbid_, call_, fields_, values_, ...)    \
	API(name_, __VA_ARGS__)                                        \
	{                                                              \
		const struct fields_ params = values_;                     \
		struct sim_observed call;                                  \
		int result = runtime_enter(&call, cbid_, #name_, &params); \
		if (!result)                                               \
			result = call_;                                        \
		return runtime_leave(&call, result);                       \
	}
#define FIELDS(...) \
	{               \
		__VA_ARGS__ \
	}
#define VALUES(...) \
	{               \
		__VA_ARGS__ \
	}

enum { CUDART_INVALID_CONFIGURATION = 9, CUDART_INVALID_DEVICE_FUNCTION = 98 };

/* Around a call: 0, or why CUDA cannot be used. With a context, or without. */
int runtime_enter(struct sim_observed *call, uint32_t cbid, const char *name, const void *params);
int runtime_enter_plain(struct sim_observed *call, uint32_t cbid, const char *name,
						const void *params);
/* The same for a launch, whose kernel has a name. */
int runtime_enter_launch(struct sim_observed *call, uint32_t cbid, const char *name,
						 const void *params, const char *symbol);
int runtime_leave(struct sim_observed *call, int result);
/* Outside of observed calls: an error is the thread's last error. */
int runtime_result(int result);

/* The kernel that a host function stands for, or the kernel itself. NULL none. */
void *runtime_kernel(const void *function);

#endif
