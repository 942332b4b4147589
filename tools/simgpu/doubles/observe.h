/* What an observer hears of the simulated driver: the libcupti double, or the launch counter of the
 * tests. One observer at a time. Called on the thread that makes the call (enter, leave,
 * resource) or on the engine's thread (op, synced), never with the engine's lock held. */
#ifndef SIMGPU_DOUBLES_OBSERVE_H
#define SIMGPU_DOUBLES_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_API __attribute__((visibility("default")))

enum sim_domain { SIM_DRIVER = 1, SIM_RUNTIME = 2 }; /* CUPTI's numbers of callback domains */

/* One API call in progress. `cbid` and `function` are CUPTI's number and CUDA's name. */
struct sim_call {
	enum sim_domain domain;
	uint32_t cbid;
	const char *function; /* "cudaLaunchKernel" */
	const void
		*params; /* the call's parameters as CUPTI's generated structs lay them out, or NULL */
	const char *symbol; /* the kernel's mangled name in a launch, else NULL */
	void *context;
	uint32_t context_id;
	uint32_t correlation; /* a driver call inside a runtime call has the runtime call's */
	uint64_t data;        /* the observer's, kept from enter to leave */
	int64_t begin_ns;
	int result;
	int64_t full_from_ns, full_to_ns; /* at leave: it waited so long for a place in the queue; 0 */
	uint32_t ops; /* at leave: ops that it put on devices (0: failed, captured, or none) */
};

enum sim_record_kind { SIM_KERNEL, SIM_MEMCPY, SIM_MEMCPY_PEER, SIM_MEMSET };

/* One op that ended on a device. Times: CLOCK_REALTIME ns. Numbers are CUPTI's (copy kinds 1 HtoD,
 * 2 DtoH, 8 DtoD, 10 peer; memory kinds 1 pageable, 2 pinned, 3 device). */
struct sim_record {
	enum sim_record_kind kind;
	int64_t start_ns, end_ns;
	uint32_t device, context, stream, correlation;
	uint64_t graph_node;
	uint32_t graph;
	const char *name; /* static storage */
	uint32_t grid[3], block[3], shared_bytes;
	uint64_t bytes;
	uint32_t copy_kind, source_kind, target_kind;
	uint32_t source_device, target_device;
	uint32_t value; /* memset */
};

enum sim_sync_kind { SIM_SYNC_EVENT = 1, SIM_SYNC_STREAM_WAIT, SIM_SYNC_STREAM, SIM_SYNC_CONTEXT };

struct sim_sync {
	enum sim_sync_kind kind;
	int64_t start_ns, end_ns;
	uint32_t correlation, context, stream, event;
};

/* CUPTI's numbers. A node is created by a call that is captured, before that call returns. */
enum sim_resource_kind {
	SIM_CONTEXT_CREATED = 1,
	SIM_CONTEXT_DESTROY_STARTING = 2,
	SIM_STREAM_DESTROY_STARTING = 4,
	SIM_GRAPH_NODE_CREATED = 13
};

struct sim_observer {
	void (*enter)(struct sim_call *call);
	void (*leave)(struct sim_call *call);
	void (*op)(const struct sim_record *record);
	void (*sync)(const struct sim_sync *sync);
	void (*resource)(enum sim_resource_kind kind, void *context, uint32_t context_id);
};

/* NULL: no observer. Returns the one before. */
SIM_API const struct sim_observer *simgpu_observe(const struct sim_observer *observer);
/* Has cuInit succeeded in this process? */
SIM_API bool simgpu_ready(void);
/* Starts cuInit as the first CUDA call does. 0 or the CUresult. */
SIM_API int simgpu_init(void);
/* Blocks until every op launched so far has ended and was observed, for at most `ms`. */
SIM_API bool simgpu_settle(unsigned ms);
/* Blocks until the observer has heard of every op that has ended by now, for at most `ms`, or until
 * the process ends and nothing is delivered any more. */
SIM_API bool simgpu_observed(unsigned ms);
/* The process ends: tells the observer of every context that goes. Once; the driver's own exit does
 * it at the latest. */
SIM_API void simgpu_end_contexts(void);
/* CLOCK_REALTIME ns of the simulated devices. */
SIM_API int64_t simgpu_now_ns(void);
/* The CUDA release the doubles stand for, major * 1000 + minor * 10 as cudaRuntimeGetVersion says
 * it. */
SIM_API int simgpu_cuda_version(void);

/* The numbers behind handles, as records carry them. False: not one of ours. The default streams
 * are those of `context`, or of the current one when it is NULL. */
SIM_API bool simgpu_stream_id(void *context, void *stream, uint32_t *id);
SIM_API bool simgpu_event_id(void *event, uint32_t *id);
SIM_API bool simgpu_graph_node_id(void *node, uint64_t *id);
SIM_API bool simgpu_context_id(void *context, uint32_t *id, uint32_t *device);

/* What the double itself executed, counted where the engine does it: launches accepted per calling
 * thread (gettid) and ops ended per (device, stream). The counter of the conservation test. */
struct sim_count {
	uint64_t key; /* tid, or device << 32 | stream */
	uint64_t n;
};
SIM_API unsigned simgpu_launches(struct sim_count *out, unsigned room);
SIM_API unsigned simgpu_ops(struct sim_count *out, unsigned room);

/* The same of kernels, by name: those that ended. */
struct sim_name_count {
	const char *name; /* as in struct sim_record */
	uint64_t n;
};
SIM_API unsigned simgpu_names(struct sim_name_count *out, unsigned room);

#endif
