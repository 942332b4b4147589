/* Calls that only take time: allocation, loading of modules, events. */
#ifndef SIMGPU_VIRTUAL_CALLS_PLAIN_H
#define SIMGPU_VIRTUAL_CALLS_PLAIN_H

struct thread;

void call_malloc(struct thread *thread);
void call_module_load(struct thread *thread);
void call_record(struct thread *thread); /* an event */
void call_wait(struct thread *thread);   /* of a stream, for an event */

#endif
