/* The way to the simulated driver: libcuda.so.1, opened on the first call as by the real CUPTI. */
#ifndef SIMGPU_DOUBLES_CUPTI_DRIVER_H
#define SIMGPU_DOUBLES_CUPTI_DRIVER_H

#include "doubles/observe.h"

struct driver {
	__typeof__(&simgpu_observe) observe;
	__typeof__(&simgpu_ready) ready;
	__typeof__(&simgpu_now_ns) now_ns;
	/* these may be missing */
	__typeof__(&simgpu_observed) observed;
	__typeof__(&simgpu_stream_id) stream_id;
	__typeof__(&simgpu_event_id) event_id;
	__typeof__(&simgpu_graph_node_id) graph_node_id;
	__typeof__(&simgpu_context_id) context_id;
	__typeof__(&simgpu_end_contexts) end_contexts;
	int (*device_count)(int *count);
	int (*device_name)(char *name, int length, int device);
	int (*device_uuid)(char uuid[16], int device);
};

/* NULL: no simulated driver here, or not initialised, or this is a forked child. */
const struct driver *driver_ready(void);
/* CLOCK_REALTIME ns, with or without a driver. */
int64_t driver_now_ns(void);

#endif
