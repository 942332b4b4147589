/* Calls that wait for a device: of a stream, a device or an event; free. */
#ifndef SIMGPU_VIRTUAL_CALLS_SYNC_H
#define SIMGPU_VIRTUAL_CALLS_SYNC_H

struct gpu_op;

/* What the thread `who` waited for is over; it takes a while to notice. */
void call_device_reached(void *who, struct gpu_op *op);

#endif
