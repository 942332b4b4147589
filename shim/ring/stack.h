/* Where a call came from. Every source asks this for the calls that it records; only sources/stacks
 * answers. */
#ifndef SHIM_STACK_H
#define SHIM_STACK_H

#include "base/guard.h"

#include <stdint.h>

/* The id of the calling thread's stack, 0 none. Never takes a lock, allocates or calls Python; at
 * most 128 frames of each kind. */
uint32_t stack_here(void);
/* The same with a hint: `site` is whatever tells calls from one Python line apart cheaply (the
 * hook's return address, the kernel's handle). With both kinds of frames it is part of what a stack
 * is known by, so that native frames need not be walked every time. */
uint32_t stack_at(const void *site);

/* The calling thread's Python frames for later, when another thread does what they asked for. The
 * place of their stack record, 0 none; stacks_forward when this thread runs no Python. */
uint32_t stack_remember(void);
/* Such a place: until it is 0 again the calling thread's stacks end with a frame of kind `backward`
 * and these frames after it. */
extern SHIM_TLS uint32_t stacks_forward;

/* For the sampler. What the calling thread is found by from another one, NULL when it has no
 * Python; and the id of such a thread's stack as it stands, 0 none. At most STACKS_SAMPLED new ones
 * are written. */
enum { STACKS_SAMPLED = 4096 };
const void *stack_thread(void);
uint32_t stack_of(const void *thread, uint64_t owner);

#endif
