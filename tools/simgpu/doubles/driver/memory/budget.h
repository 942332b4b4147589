/* How many bytes of each device are taken: by blocks and by virtual memory. Its own lock. */
#ifndef SIMGPU_DOUBLES_DRIVER_MEMORY_BUDGET_H
#define SIMGPU_DOUBLES_DRIVER_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* False: there are not so many. */
bool budget_take(int device, size_t bytes);
/* No more than is taken: a reset may have come before. */
void budget_give(int device, size_t bytes);
void budget_reset(int device);
size_t budget_free(int device);

#endif
