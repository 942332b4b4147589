/* What a thread does with its GPUs: launches, copies, collectives, synchronisation, each as the
 * calls that a profiler would see. Every function begins an instruction and ends it later through
 * thread_next(). */
#ifndef SIMGPU_CALLS_H
#define SIMGPU_CALLS_H

#include "world.h"

void call_kernel(struct thread *thread);
void call_copy(struct thread *thread);
void call_memset(struct thread *thread);
void call_graph(struct thread *thread);
void call_host_func(struct thread *thread);
void call_collective(
	struct thread *thread); /* collectives and send/receive; part of a group when one is open */
void call_group_end(struct thread *thread);
void call_record(struct thread *thread);
void call_wait(struct thread *thread);
void call_sync(struct thread *thread); /* stream, device, event */
void call_malloc(struct thread *thread);
void call_free(struct thread *thread);
void call_module_load(struct thread *thread);

/* What the GPUs of this driver do besides their own business. */
extern const struct gpu_hooks call_hooks;
void call_slot_free(struct gpu *gpu);
/* One of the meetings of an op is over at at_ns of its own clock. */
void call_meeting_over(struct gpu_op *op, int64_t at_ns);
/* The name of a collective's kernel (enum baton_coll); NULL when it is not simulated. */
const char *call_nccl_kernel(unsigned coll);

#endif
