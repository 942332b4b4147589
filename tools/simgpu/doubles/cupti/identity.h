/* What records say who it was: numbers of handles, as the driver says them, and of threads; ids
 * that a client pushes from outside, on a stack per thread and kind of pusher. */
#ifndef SIMGPU_DOUBLES_CUPTI_IDENTITY_H
#define SIMGPU_DOUBLES_CUPTI_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread in API records: 0 the low half of pthread_self, 1 gettid. */
void identity_number_threads(uint32_t type);
uint32_t identity_threads_numbered(void);
/* Its number. */
uint32_t identity_thread(void);
bool identity_context(void *context, uint32_t *id, uint32_t *device);

enum { EXTERNAL_KINDS = 6 }; /* 1 unknown, 2 OpenACC, 3..5 custom */

/* Of this thread's stack of `kind`. False: it is full, or empty. */
bool external_push(uint32_t kind, uint64_t id);
bool external_pop(uint32_t kind, uint64_t *id);
/* The id on top of this thread's stack of `kind`; false when it is empty. */
bool external_top(uint32_t kind, uint64_t *id);

#endif
