/* The one structure of CUDA's that a launch passes by pointer. */
#ifndef SHIM_LAUNCH_CONFIG_H
#define SHIM_LAUNCH_CONFIG_H

#include <stddef.h>

/* The stream of cudaLaunchConfig_t and of CUlaunchConfig: both have it at this offset. */
static inline const void *launch_config_stream(const void *given)
{
	return given ? *(const void *const *)((const char *)given + 32) : NULL;
}

#endif
