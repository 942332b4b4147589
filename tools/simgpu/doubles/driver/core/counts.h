/* What the devices have run: ops per stream, kernels per name. With the engine's lock held. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_COUNTS_H
#define SIMGPU_DOUBLES_DRIVER_CORE_COUNTS_H

#include <stdint.h>

/* A row of the counts of ops, for ever: its number. */
uint32_t counts_new(uint64_t key);
/* One more op of that row ended. */
void counts_op(uint32_t row);
void counts_kernel(const char *name); /* static storage: one pointer for one kernel */

#endif
