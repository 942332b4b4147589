/* Collectives, sends and receives: calls that gather parts, kernels of one or more, each a meeting.
 */
#ifndef SIMGPU_VIRTUAL_CALLS_NCCL_H
#define SIMGPU_VIRTUAL_CALLS_NCCL_H

#include <stdint.h>

struct gpu_op;
struct thread;

/* Collectives and send/receive; part of a group when one is open. */
void call_collective(struct thread *thread);
void call_group_end(struct thread *thread);

/* The kernel has started: it comes to its meetings. */
void call_meet(struct gpu_op *op);
/* One of the meetings of an op is over at at_ns of its own clock. */
void call_meeting_over(struct gpu_op *op, int64_t at_ns);
/* The op has ended, a collective or not. */
void call_parted(struct gpu_op *op);
/* The name of a collective's kernel (enum baton_coll); NULL when it is not simulated. */
const char *call_nccl_kernel(unsigned coll);

#endif
