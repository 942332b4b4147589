/* API calls as an observer sees them. Nothing here needs the engine's lock. */
#ifndef SIMGPU_DOUBLES_DRIVER_CALLS_OBSERVE_CALL_H
#define SIMGPU_DOUBLES_DRIVER_CALLS_OBSERVE_CALL_H

#include "doubles/doubles.h"
#include "doubles/driver/core/host_thread.h"

/* The begin of a driver call: 0, or why CUDA cannot be used. Never seen by the observer then. */
int observe_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
				  const void *params, const char *symbol);
int observe_leave(struct sim_observed *observed, int result);

#endif
