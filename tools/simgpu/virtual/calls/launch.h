/* Launches: of kernels, graphs and host functions; and how any op gets to its stream. */
#ifndef SIMGPU_VIRTUAL_CALLS_LAUNCH_H
#define SIMGPU_VIRTUAL_CALLS_LAUNCH_H

#include "virtual/machine/state.h"

/* The call is about to return: the op is on its way. */
void call_send(struct thread *thread, struct gpu_op *op, bool as_node);
/* The launch call has done its work: it returns by thread->then once the queue has a place. */
void call_wait_for_place(struct thread *thread, struct gpu *gpu);
void call_slot_free(struct gpu *gpu);

#endif
