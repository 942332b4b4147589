/* API calls as an observer sees them, and the calling thread: its device, its correlation ids, its
 * count of launches. Nothing here needs the engine's lock. */
#ifndef SIMGPU_DOUBLES_DRIVER_CALLS_OBSERVE_CALL_H
#define SIMGPU_DOUBLES_DRIVER_CALLS_OBSERVE_CALL_H

#include "doubles/doubles.h"
#include "doubles/driver/core/settings.h"

#include <stdatomic.h>

struct context;
struct stream;

#define CONTEXT_STACK 16

struct host_thread { /* lives as long as the process: its count is asked for at the end */
	struct host_thread *next;
	uint32_t tid;
	_Atomic uint64_t launches;
	uint32_t correlation; /* of the call in progress */
	uint32_t ops;         /* that it has put on devices */
	bool in_runtime, in_driver;
	bool captured; /* the call in progress made a graph node, which nobody has been told yet */
	int device;
	struct context *contexts[CONTEXT_STACK];
	int n_contexts;
	int capture_mode;
	struct stream *streams[MAX_DEVICES]; /* the per-thread default ones */
};

struct host_thread *host_thread(void);

const struct sim_observer *observe_who(void);

/* The begin of a driver call: 0, or why CUDA cannot be used. Never seen by the observer then. */
int observe_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
				  const void *params, const char *symbol);
int observe_leave(struct sim_observed *observed, int result);
void observe_resource(enum sim_resource_kind kind, struct context *context);
/* One more launch accepted on the calling thread. */
void observe_count_launch(void);

#endif
