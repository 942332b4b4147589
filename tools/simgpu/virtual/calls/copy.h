/* Copies and memsets. A pageable copy blocks its thread. */
#ifndef SIMGPU_VIRTUAL_CALLS_COPY_H
#define SIMGPU_VIRTUAL_CALLS_COPY_H

struct thread;

void call_copy(struct thread *thread);
void call_memset(struct thread *thread);

#endif
