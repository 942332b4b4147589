/* The stacks of ids that a thread pushed from outside: one per kind of pusher. */
#ifndef SIMGPU_DOUBLES_CUPTI_EXTERNAL_H
#define SIMGPU_DOUBLES_CUPTI_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

enum { EXTERNAL_KINDS = 6 }; /* 1 unknown, 2 OpenACC, 3..5 custom */

/* Of this thread's stack of `kind`. False: it is full, or empty. */
bool external_push(uint32_t kind, uint64_t id);
bool external_pop(uint32_t kind, uint64_t *id);
/* The id on top of this thread's stack of `kind`; false when it is empty. */
bool external_top(uint32_t kind, uint64_t *id);

#endif
