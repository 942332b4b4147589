/* The kernel of a plan: launched on a stream, carried out once the stream has got there. */
#ifndef SIMGPU_DOUBLES_NCCL_KERNEL_H
#define SIMGPU_DOUBLES_NCCL_KERNEL_H

#include "doubles/nccl/plan.h"

/* Launches it on the calling thread and hands the plan to the communicator's thread. */
ncclResult_t kernel_launch(struct plan *plan);
/* On the communicator's thread, once started: carries the plan out and ends the kernel. */
void kernel_carry_out(struct plan *plan);
/* What its transfers take by themselves. */
int64_t kernel_transfer_ns(const struct plan *plan);

#endif
