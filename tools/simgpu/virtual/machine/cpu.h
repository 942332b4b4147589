/* CPU time: the cores of a host and the GIL of a process. A thread asks for a number of ns and goes
 * on when it has had them. What it waited for is in its log. */
#ifndef SIMGPU_VIRTUAL_MACHINE_CPU_H
#define SIMGPU_VIRTUAL_MACHINE_CPU_H

#include "virtual/machine/state.h"

#define GIL_SWITCH_NS 5000000 /* CPython: a waiter asks the owner to drop it after so long */
#define CORE_QUANTUM_NS 3000000
#define SLICE_NS 1000000

/* `then` runs when the thread has had `ns` of CPU time (0 is allowed). */
void cpu_busy(struct thread *thread, int64_t ns, enum cause cause, bool gil,
			  void (*then)(struct thread *thread));
/* Waits on its core and keeps the GIL, as a launch does while the queue is full. Others get the core
 * when the slice is over. */
void cpu_spin(struct thread *thread);
/* What it waited for is there: goes on with `then` as soon as it has a core. */
void cpu_spin_over(struct thread *thread);
/* The thread stops: other threads get its core and its GIL. */
void cpu_leave(struct thread *thread);
/* The thread needs no GIL for what follows. */
void cpu_drop_gil(struct thread *thread);

void thread_list_init(struct thread_list *list);
void thread_list_push(struct thread_list *list, struct thread *thread);
struct thread *thread_list_pop(struct thread_list *list); /* NULL when empty */

#endif
