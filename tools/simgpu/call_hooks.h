/* What the GPUs of this driver do besides their own business. */
#ifndef SIMGPU_CALL_HOOKS_H
#define SIMGPU_CALL_HOOKS_H

#include "gpu.h"

extern const struct gpu_hooks call_hooks;

#endif
