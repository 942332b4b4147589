/* A thread of the program that calls CUDA: its device, its correlation ids, its count of launches.
 * It lives as long as the process: its count is asked for at the end. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_HOST_THREAD_H
#define SIMGPU_DOUBLES_DRIVER_CORE_HOST_THREAD_H

#include "doubles/driver/core/settings.h"

#include <stdatomic.h>

struct context;
struct stream;

#define CONTEXT_STACK 16

struct host_thread {
	struct host_thread *next;
	uint32_t tid;
	_Atomic uint64_t launches;
	uint32_t correlation;             /* of the call in progress */
	uint32_t ops;                     /* that it has put on devices */
	int64_t full_from_ns, full_to_ns; /* and when it last waited for a place in the queue; or 0 */
	bool in_runtime, in_driver;
	bool captured; /* the call in progress made a graph node, which nobody has been told yet */
	int device;
	struct context *contexts[CONTEXT_STACK];
	int n_contexts;
	int capture_mode;
	struct stream *streams[MAX_DEVICES]; /* the per-thread default ones */
};

struct host_thread *host_thread(void);
/* One more launch accepted on the calling thread. */
void host_thread_launched(void);
/* `over` is called when a thread ends. Once, before cuInit returns. */
void host_thread_ending(void (*over)(struct host_thread *thread));

#endif
