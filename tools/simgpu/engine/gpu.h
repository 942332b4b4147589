/* A GPU: streams, events, engines, the legacy default stream, host functions, the queue of launched
 * work. It knows time only through its agenda, and neither who launches nor who watches: both
 * drivers (virtual time, real time) sit on it. An op starts when the last thing it needed arrived:
 * its launch, the op before it on its stream, what it was told to wait for, a free engine. */
#ifndef SIMGPU_ENGINE_GPU_H
#define SIMGPU_ENGINE_GPU_H

#include "engine/agenda.h"

#include <stdbool.h>

#define GPU_QUEUE_DEPTH 1021 /* launched, not started; then a launch blocks: an H100's */
#define GPU_SHARE_ALL 1024

enum gpu_op_kind {
	GPU_KERNEL,
	GPU_COPY,
	GPU_MEMSET,
	GPU_NCCL,
	GPU_HOST_FUNC, /* runs on a host thread of the driver: the device is idle meanwhile */
	GPU_JOIN       /* the end of a graph: no time, no record */
};

enum gpu_engine {
	ENGINE_COMPUTE,
	ENGINE_COPY_IN,
	ENGINE_COPY_OUT,
	ENGINE_COPY_LOCAL,
	ENGINE_NONE, /* never waits: NCCL, host functions, joins */
	ENGINE_COUNT
};

/* What an op waited for last. */
enum gpu_last {
	LAST_LAUNCH,
	LAST_OP,    /* the end of `last_op` */
	LAST_ENGINE /* `last_op` held the engine */
};

struct gpu_op;
struct gpu_edge { /* somebody waits for the end of an op */
	void (*fire)(void *who, struct gpu_op *ended);
	void *who;
};

struct gpu_launch { /* what the driver knows of an op; the GPU never looks inside */
	void *log;      /* of the thread that launched it */
	int64_t call_begin_ns, call_end_ns;
	uint64_t correlation;
	uint64_t node;       /* of a graph, 0 none */
	uint64_t key;        /* random numbers of this op hang on it */
	int64_t met_ns;      /* external: the latest end named so far */
	uint32_t meetings;   /* external: still open */
	int64_t transfer_ns; /* external: from the last member's arrival to the end */
	int64_t last_ns;     /* external: when the last member came, */
	uint32_t last;       /* which device that was */
	int64_t bytes;
	int64_t sequence;
	uint32_t name, comm;
	int32_t step;
	uint8_t coll, copy_dir;
	uint16_t peer; /* of a copy between devices: 1 + the target's number in its process, 0 none */
	bool pageable, blocking;
};

struct gpu_op {
	struct gpu *gpu;
	struct gpu_stream *stream;
	int64_t arrival_ns; /* when the launch reached the device */
	int64_t start_ns, end_ns, dur_ns;
	int64_t ready_ns;       /* latest of what it waited for so far */
	int64_t kept_from_ns;   /* from then on another process had the GPU; 0: it never had to wait */
	struct gpu_op *last_op; /* see gpu_last; held until it starts (host functions: until freed) */
	struct gpu_edge *edges;
	uint64_t number; /* on its device: ties are broken by it */
	uint32_t n_edges, edges_room;
	uint32_t waits; /* ends it still waits for, + 1 until submitted */
	uint32_t refs;
	uint16_t share;
	uint8_t kind, engine, last;
	bool started, ended;
	bool external;       /* its end comes from outside: gpu_finish() */
	bool queued;         /* takes a place in the queue */
	bool node;           /* of a graph, not the first: gaps are shorter */
	void *outside;       /* of an external op: the driver's */
	struct gpu_op *next; /* in a list: waiting for an engine, or free */
	struct gpu_launch launch;
};

enum gpu_stream_kind {
	STREAM_NON_BLOCKING, /* cudaStreamNonBlocking: PyTorch's own */
	STREAM_BLOCKING,     /* waits for the legacy default stream, and it for this one */
	STREAM_LEGACY        /* the legacy default stream */
};

struct gpu_stream {
	struct gpu *gpu;
	struct gpu_op *tail;   /* the last op submitted, NULL when none or over */
	struct gpu_op **waits; /* what the next op has to wait for on top */
	uint32_t n_waits, waits_room;
	int64_t number;
	enum gpu_stream_kind stream_kind;
};

struct gpu_list {
	struct gpu_op *head, **tail;
};

struct gpu_hooks {
	/* The GPU is not yet counted busy: gpu->busy, gpu->idle_from_ns. */
	void (*starting)(struct gpu_op *op);
	void (*ended)(struct gpu_op *op);
	/* An external op started: calls gpu_finish() when its end is known. */
	void (*meet)(struct gpu_op *op);
	/* From an end to the next start. */
	int64_t (*gap_ns)(struct gpu_op *op, struct gpu_op *after);
};

struct gpu {
	struct agenda *agenda;
	const struct gpu_hooks *hooks;
	void *owner;
	struct gpu_stream **streams;
	uint32_t n_streams, streams_room;
	uint32_t used[ENGINE_COUNT]; /* shares */
	struct gpu_list blocked[ENGINE_COUNT];
	uint64_t made;
	uint32_t queued;
	uint32_t busy;        /* ops running, host functions excepted */
	int64_t idle_from_ns; /* when the last one ended; -1 before the first */
	/* Another process has work for the GPU all the time, and gets it for so long whenever this one
	 * has none; 0: nobody else is there. */
	int64_t slice_ns;
	void (*slot_free)(struct gpu *gpu); /* a place in the queue became free */
	struct gpu_op *free;
};

void gpu_open(struct gpu *gpu, struct agenda *agenda, const struct gpu_hooks *hooks, void *owner);
void gpu_close(struct gpu *gpu);
struct gpu_stream *gpu_stream_new(struct gpu *gpu, int64_t number, enum gpu_stream_kind kind);

/* A new op of a stream: the caller fills duration, share, arrival and launch, then submits. */
struct gpu_op *gpu_op_new(struct gpu_stream *stream, enum gpu_op_kind kind, enum gpu_engine engine);
/* `op` must not start before `before` has ended; before gpu_submit(op). NULL or over: nothing. */
void gpu_op_after(struct gpu_op *op, struct gpu_op *before);
/* In stream order after all that was submitted to the stream. */
void gpu_submit(struct gpu_op *op);
/* A node of a graph: only after what gpu_op_after() said. */
void gpu_submit_node(struct gpu_op *op);
/* The stream's next op waits for `op` too. */
void gpu_stream_wait(struct gpu_stream *stream, struct gpu_op *op);
/* Calls back when the op has ended; at once when it is over. */
void gpu_watch(struct gpu_op *op, void (*fire)(void *who, struct gpu_op *ended), void *who);
/* The end of an external op: now, or earlier, when the news of it took its time. */
void gpu_finish(struct gpu_op *op, int64_t end_ns);

struct gpu_op *gpu_op_hold(struct gpu_op *op); /* NULL stays NULL */
void gpu_op_drop(struct gpu_op *op);

static inline bool gpu_op_is_work(const struct gpu_op *op)
{
	return op->kind <= GPU_NCCL;
}

#endif
