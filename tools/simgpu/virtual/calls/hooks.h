/* What the GPUs of this driver do besides their own business. */
#ifndef SIMGPU_VIRTUAL_CALLS_HOOKS_H
#define SIMGPU_VIRTUAL_CALLS_HOOKS_H

#include "engine/gpu.h"

extern const struct gpu_hooks call_hooks;

#endif
