/* The devices of the process's contexts, by CUPTI's numbers. Any thread. */
#ifndef SHIM_CUPTI_CONTEXTS_H
#define SHIM_CUPTI_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

/* CUPTI is asked once for each context. From its callbacks. */
void cupti_contexts_note(void *context, uint32_t number);
/* The same of one that was just made. */
void cupti_contexts_made(void *context);

/* The ordinal; -1: the context was not met. */
int cupti_contexts_device(uint32_t number);
/* Do the contexts lie on more than one device? */
bool cupti_contexts_many(void);
void cupti_contexts_forget(void);

#endif
