/* Collectives, sends and receives: a call gathers parts, a kernel executes one or more parts, and
 * each part is a meeting. */
#ifndef SIMGPU_VIRTUAL_CALLS_NCCL_H
#define SIMGPU_VIRTUAL_CALLS_NCCL_H

struct gpu_op;

/* The kernel has started: it comes to its meetings. */
void call_meet(struct gpu_op *op);
/* The op has ended, a collective or not. */
void call_parted(struct gpu_op *op);
/* The name of a collective's kernel (enum baton_coll); NULL when it is not simulated. */
const char *call_nccl_kernel(unsigned coll);

#endif
