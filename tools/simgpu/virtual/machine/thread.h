/* Executes the programs of one thread, instruction by instruction. */
#ifndef SIMGPU_VIRTUAL_MACHINE_THREAD_H
#define SIMGPU_VIRTUAL_MACHINE_THREAD_H

#include "virtual/machine/state.h"

/* The instruction in progress is done: executes the next ones until one takes time. */
void thread_next(struct thread *thread);
/* Places the thread's first instruction on the agenda. */
void thread_start(struct thread *thread);

/* A random number of this instruction: the same whatever else the scenario holds. */
uint64_t thread_random(const struct thread *thread, uint32_t purpose);
/* This step's length against the typical one, SCALE_ONE: as long. */
uint32_t thread_step_length(const struct thread *thread);

#endif
