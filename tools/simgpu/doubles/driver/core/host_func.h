/* The driver's thread that runs host functions, one after the other. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_HOST_FUNC_H
#define SIMGPU_DOUBLES_DRIVER_CORE_HOST_FUNC_H

/* Lock held. On the driver's thread: function(data) without the lock, then over(who) with it. */
void host_func_run(void (*function)(void *data), void *data, void (*over)(void *who), void *who);

#endif
