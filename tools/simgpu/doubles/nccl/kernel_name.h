/* Names of NCCL's kernels, mangled as they stand in its binary. */
#ifndef SIMGPU_DOUBLES_NCCL_KERNEL_NAME_H
#define SIMGPU_DOUBLES_NCCL_KERNEL_NAME_H

#include "doubles/nccl/task.h"

/* Static storage; the same pointer for the same name. */
const char *kernel_name(const struct task *task);

#endif
