/* How many kernels of each name the devices have run. With the engine's lock held. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_NAME_COUNT_H
#define SIMGPU_DOUBLES_DRIVER_CORE_NAME_COUNT_H

void name_count(const char *name); /* static storage: one pointer for one kernel */

#endif
