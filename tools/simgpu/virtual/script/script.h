/* A scenario as data: hosts, processes, devices, communicators, and for every CPU thread the list of
 * instructions it executes in each step. Workloads build it, faults edit it, the engine runs it.
 * Owner: whoever called script_new(); nothing here knows about time. Times are ns, sizes bytes. */
#ifndef SIMGPU_VIRTUAL_SCRIPT_SCRIPT_H
#define SIMGPU_VIRTUAL_SCRIPT_SCRIPT_H

#include "virtual/draw/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCALE_ONE 1024 /* factors are in 1/1024 */
#define SHARE_COLLECTIVE 96 /* of 1024: a collective's kernels; no other kernel takes more than the rest */

/* ---- what a device executes ---- */

struct kernel_def { /* one kernel at one place of the step: its typical duration is drawn once */
	uint32_t name;    /* string */
	int64_t dur_ns;   /* the median of its instances */
	uint16_t share;   /* of the device's multiprocessors, of 1024: kernels run together while it fits */
	uint16_t jitter;  /* 1024: instances vary as those of real kernels do; 0: not at all */
	bool sequence;    /* scales with the length of this rank's and step's sequences (imbalance) */
};

struct graph_node {
	uint32_t kernel;
	int32_t after; /* index of the node it follows, -1: none; several may follow one */
};

struct graph_def {
	struct graph_node *nodes;
	uint32_t n_nodes, room;
};

struct comm_def {
	uint32_t size; /* members */
	uint64_t hash;
	uint32_t name;          /* string: what the trace calls it */
	uint32_t bandwidth;     /* bytes per microsecond of the slowest link, busbw as nccl-tests define it */
	uint32_t latency_ns;    /* of a transfer of no bytes */
	uint32_t slow;          /* SCALE_ONE: the link as it should be; 2048: twice as slow */
	uint32_t *ranks;        /* global index of each member's device */
};

/* ---- what a thread executes ---- */

enum cause { /* who held the device up: the engine's words, not the reducer's */
	CAUSE_CPU_WORK, /* Python or framework code between the calls */
	CAUSE_PAGE_FAULT,
	CAUSE_INPUT,
	CAUSE_SYNC,
	CAUSE_ALLOC,
	CAUSE_MODULE_LOAD,
	CAUSE_NCCL_HOST,
	CAUSE_GIL,
	CAUSE_NO_CORE,
	CAUSE_SLEEP,
	CAUSE_API,
	CAUSE_LAUNCH_CALL,
	CAUSE_LAUNCH_LATENCY,
	CAUSE_QUEUE_FULL,
	CAUSE_PROFILER,
	CAUSE_DISPATCH,
	CAUSE_HOST_FUNC,
	CAUSE_DEPENDENCY,
	CAUSE_NONE, /* before the first and after the last op: nobody wanted anything */
	CAUSE_COUNT
};

enum point { /* places of a step where a fault may put something in */
	POINT_STEP_BEGIN,
	POINT_INPUT,
	POINT_FORWARD, /* once per layer or so */
	POINT_LOSS,    /* between forward and backward */
	POINT_BACKWARD,
	POINT_OPTIMIZER,
	POINT_STEP_END,
	POINT_COUNT
};

enum insn_kind {
	INSN_WORK,        /* a: sim_table or TABLE_COUNT (then c ns); b: factor; on a core, with the GIL */
	INSN_WORK_NATIVE, /* the same without the GIL (backward threads, loaders' decoding) */
	INSN_SLEEP,       /* c ns off the core: I/O; cause in a */
	INSN_STALL,       /* c ns on the core with the GIL, cause in a (page faults, profiler) */
	INSN_KERNEL,      /* a: stream, b: kernel */
	INSN_COPY,        /* a: stream, b: enum copy_kind, c: bytes, d: peer device of the process */
	INSN_MEMSET,      /* a: stream, c: bytes */
	INSN_COLLECTIVE,  /* a: stream, b: comm, c: bytes, d: enum baton_coll */
	INSN_SENDRECV,    /* a: stream, b: comm, c: bytes, d: peer (member index) | SENDRECV_SEND | SENDRECV_RECV */
	INSN_GROUP_BEGIN, /* the collectives up to the end become one kernel */
	INSN_GROUP_END,
	INSN_RECORD,      /* a: event, b: stream */
	INSN_WAIT,        /* a: stream, b: event: stream order, the host does not wait */
	INSN_SYNC_STREAM, /* a: stream */
	INSN_SYNC_DEVICE, /* a: device of the process */
	INSN_SYNC_EVENT,  /* a: event */
	INSN_HOST_FUNC,   /* a: stream, c: ns it runs */
	INSN_MALLOC,      /* a: device, c: ns the call takes */
	INSN_FREE,        /* a: device, c: ns; waits for the device first, as cudaFree does */
	INSN_MODULE_LOAD, /* c: ns */
	INSN_GRAPH,       /* a: stream, b: graph */
	INSN_PUT,         /* a: queue: one item */
	INSN_GET,         /* a: queue: waits for an item; cause in b */
	INSN_SIGNAL,      /* a: semaphore + 1 */
	INSN_AWAIT,       /* a: semaphore - 1, waits; whoever signals it owns the wait */
	INSN_PUSH,        /* b: string: an NVTX range begins */
	INSN_POP,
	INSN_POINT,       /* a: enum point */
	INSN_KINDS
};

enum copy_kind { COPY_HTOD_PINNED, COPY_HTOD_PAGEABLE, COPY_DTOH_PINNED, COPY_DTOH_PAGEABLE, COPY_DTOD, COPY_PEER };
#define SENDRECV_SEND 0x10000
#define SENDRECV_RECV 0x20000

struct insn {
	uint8_t kind;
	uint16_t a;
	uint32_t b;
	int64_t c;
	int32_t d;
};

struct program {
	struct insn *at;
	uint32_t n, room;
};

/* ---- who executes it ---- */

enum step_kind { STEP_TRAIN, STEP_EVAL, STEP_SETUP, STEP_KINDS };

struct thread_def {
	uint32_t name;
	bool daemon;    /* its loop has no end of its own: it stops when the others have (loaders, hogs) */
	bool marks;     /* its STEP_TRAIN programs are the steps */
	struct program programs[STEP_KINDS]; /* SETUP once, then TRAIN once per step, EVAL per evaluation batch */
};

struct stream_def {
	uint16_t device; /* of the process */
	bool legacy;     /* the legacy default stream */
	int64_t number;  /* what the trace shows */
};

struct process_def {
	uint32_t host;
	int32_t rank, world_size, local_rank;
	uint32_t n_devices, first_device; /* global index of its first device: the rest follow */
	uint32_t first_ordinal;           /* on its host */
	struct thread_def *threads;
	uint32_t n_threads;
	struct stream_def *streams;
	uint32_t n_streams;
	uint32_t n_events;
	uint32_t n_semaphores;
	uint32_t *queues; /* capacity of each */
	uint32_t n_queues;
	struct program injected[POINT_COUNT]; /* what faults put in, per point, thread that marks steps */
	uint32_t inject_every[POINT_COUNT];   /* passes 0, every, 2 x every, ... of the point; 0: never */
	int64_t launch_extra_ns;              /* the tool's own cost before each launch: an overhead row */
};

struct device_def { /* global; belongs to one process */
	uint32_t process;
	uint32_t slow; /* SCALE_ONE; 1280: kernels take a quarter longer */
};

struct host_def {
	uint32_t cores;
	int64_t clock_offset_ns;
	int32_t clock_drift_ppb; /* the host's clock runs that much fast */
};

struct noise { /* parts of 1024 of the noise that real traces show; 0: none */
	uint32_t host;   /* work between calls */
	uint32_t kernel; /* durations */
};

struct script {
	uint64_t seed;
	uint32_t n_steps;               /* training steps */
	uint32_t eval_every, eval_batches; /* after every so many steps; 0: never */
	uint32_t length_spread;         /* step length varies up to this factor in 1/1024: 3072 is 3 x */
	uint32_t sequence_spread;       /* sequence lengths differ between ranks and steps: 0 none, 512 +-50 % */
	uint32_t lost_ppm;              /* records lost by the recorder */
	bool nvtx;
	struct noise noise;
	uint32_t step_name; /* string: the NVTX range of a step */
	struct host_def *hosts;
	uint32_t n_hosts;
	struct process_def *processes;
	uint32_t n_processes;
	struct device_def *devices;
	uint32_t n_devices;
	struct comm_def *comms;
	uint32_t n_comms;
	struct kernel_def *kernels;
	uint32_t n_kernels;
	struct graph_def *graphs;
	uint32_t n_graphs;
	char **strings; /* 0 is "" */
	uint32_t n_strings;
	/* capacities of the arrays above, script.c's own */
	uint32_t hosts_room, processes_room, devices_room, comms_room, kernels_room, graphs_room, strings_room;
	uint32_t *string_slots; /* numbers + 1 by hash of the text */
	uint32_t string_slots_room;
};

/* Memory errors end the program with a message: the simulator is a tool, not a library. */
struct script *script_new(uint64_t seed, uint32_t n_steps);
void script_free(struct script *script);

uint32_t script_string(struct script *s, const char *text); /* the same text, the same number */
uint32_t script_word(struct script *s, uint64_t place); /* a random word, by seed: NVTX names say nothing */
uint32_t script_host(struct script *s, uint32_t cores);
/* A process with n_devices devices on `host`; pointers to processes stay valid only until the next one. */
uint32_t script_process(struct script *s, uint32_t host, int32_t rank, int32_t world_size,
						uint32_t n_devices);
uint16_t script_thread(struct script *s, uint32_t process, const char *name);
uint16_t script_stream(struct script *s, uint32_t process, uint16_t device, bool legacy);
uint16_t script_event(struct script *s, uint32_t process);
uint16_t script_semaphore(struct script *s, uint32_t process);
uint16_t script_queue(struct script *s, uint32_t process, uint32_t capacity);
/* `devices`: global device indices of the members. */
uint32_t script_comm(struct script *s, const char *name, const uint32_t *devices, uint32_t size,
					 uint32_t bandwidth, uint32_t latency_ns);
/* A kernel of a class: name and typical duration drawn by `place` from the class's table, times factor. */
uint32_t script_kernel(struct script *s, enum sim_table table, uint64_t place, uint32_t factor);
uint32_t script_kernel_exact(struct script *s, const char *name, int64_t dur_ns, uint16_t share);
uint32_t script_graph(struct script *s);
void script_graph_node(struct script *s, uint32_t graph, uint32_t kernel, int32_t after);

void program_add(struct program *p, struct insn insn);
void program_copy(struct program *to, const struct program *from);

/* Of everything a script holds: equal scripts, equal hashes, on every machine. */
uint64_t script_hash(const struct script *s);

static inline void do_work(struct program *p, enum sim_table table, uint32_t factor)
{
	program_add(p, (struct insn){.kind = INSN_WORK, .a = (uint16_t)table, .b = factor});
}

static inline void do_kernel(struct program *p, uint16_t stream, uint32_t kernel)
{
	program_add(p, (struct insn){.kind = INSN_KERNEL, .a = stream, .b = kernel});
}

static inline void do_point(struct program *p, enum point point)
{
	program_add(p, (struct insn){.kind = INSN_POINT, .a = (uint16_t)point});
}

#endif
