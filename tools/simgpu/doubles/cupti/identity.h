#ifndef SIMGPU_DOUBLES_CUPTI_IDENTITY_H
#define SIMGPU_DOUBLES_CUPTI_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread in API records. */
uint32_t identity_thread(void);
bool identity_context(void *context, uint32_t *id, uint32_t *device);

#endif
