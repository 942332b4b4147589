/* Numbers behind handles, as the driver says them; and how threads are numbered. */
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

#endif
