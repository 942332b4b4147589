/* A scenario as data: hosts, processes, devices, communicators, and for every CPU thread the list
 * of instructions it executes in each step. Workloads build it, faults edit it, the engine runs it.
 * Owner: whoever called script_new(); nothing here knows about time. Times are ns, sizes bytes. */
#ifndef SIMGPU_VIRTUAL_SCRIPT_SCRIPT_H
#define SIMGPU_VIRTUAL_SCRIPT_SCRIPT_H

#include "virtual/draw/tables.h"
#include "virtual/script/cause.h"
#include "virtual/script/instructions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCALE_ONE 1024 /* factors are in 1/1024 */
/* Of 1024, what a collective's kernels take; no other kernel takes more than the rest. */
#define SHARE_COLLECTIVE 96

/* ---- what a device executes ---- */

struct kernel_def {  /* one kernel at one place of the step: its typical duration is drawn once */
	uint32_t name;   /* string */
	int64_t dur_ns;  /* the median of its instances */
	uint16_t share;  /* of the multiprocessors, of 1024: kernels run together while they fit */
	uint16_t jitter; /* 1024: instances vary as those of real kernels do; 0: not at all */
	bool sequence;   /* scales with the length of this rank's and step's sequences (imbalance) */
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
	uint32_t name;       /* string: what the trace calls it */
	uint32_t bandwidth;  /* bytes per microsecond of the slowest link: nccl-tests' busbw */
	uint32_t latency_ns; /* of a transfer of no bytes */
	uint32_t slow;       /* SCALE_ONE: the link as it should be; 2048: twice as slow */
	uint32_t *ranks;     /* global index of each member's device */
};

/* ---- what a thread executes ---- */

struct program {
	struct insn *at;
	uint32_t n, room;
};

/* ---- who executes it ---- */

enum step_kind { STEP_TRAIN, STEP_EVAL, STEP_SETUP, STEP_KINDS };

struct thread_def {
	uint32_t name;
	bool daemon; /* its loop has no end of its own: it stops when the others have (loaders, hogs) */
	bool marks;  /* its STEP_TRAIN programs are the steps */
	bool planted; /* by a fault */
	/* SETUP once, then TRAIN once per step, EVAL per evaluation batch */
	struct program programs[STEP_KINDS];
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
	/* what faults put in, per point, thread that marks steps */
	struct program injected[POINT_COUNT];
	int64_t launch_extra_ns; /* the tool's own cost before each launch: an overhead row */
};

struct device_def { /* global; belongs to one process */
	uint32_t process;
	uint32_t slow;                  /* SCALE_ONE; 1280: kernels take a quarter longer */
	uint32_t slow_name, slow_named; /* the same of kernels with this name, a string; 0: of none */
	int64_t slice_ns;               /* another process uses it, for so long at a time; 0: none */
};

struct host_def {
	uint32_t cores;
	int64_t clock_offset_ns;
	int32_t clock_drift_ppb; /* the host's clock runs that much fast */
	int64_t clock_jump_ns; /* forward (< 0: back), at clock_jump_at_ns of the true time; 0: none */
	int64_t clock_jump_at_ns;
};

enum noise_shape {
	NOISE_EVEN,  /* each piece of work by itself */
	NOISE_DRIFT, /* hosts and processes get slower and faster over tens of milliseconds */
	NOISE_BURSTS /* for some milliseconds now and then a process takes three times as long */
};

struct noise {              /* parts of 1024 of the noise that real traces show; 0: none */
	uint32_t host;          /* work between calls */
	uint32_t kernel;        /* durations */
	enum noise_shape shape; /* of host work, on top */
};

struct script {
	uint64_t seed;
	uint64_t noise_seed;               /* of what varies from step to step and rank to rank */
	uint32_t n_steps;                  /* training steps */
	uint32_t eval_every, eval_batches; /* after every so many steps; 0: never */
	uint32_t length_spread;   /* step length varies up to this factor in 1/1024: 3072 is 3 x */
	uint32_t sequence_spread; /* of sequence lengths, per rank and step: 0 none, 512 +-50 % */
	uint32_t lost_ppm;        /* records lost by the recorder */
	uint32_t gpu_tick_ns;     /* of the clock that the trace's GPU times are read from */
	uint32_t host_tick_ns;    /* the trace's host times are rounded down to multiples of it */
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
	uint32_t hosts_room, processes_room, devices_room, comms_room, kernels_room, graphs_room,
		strings_room;
	uint32_t *string_slots; /* numbers + 1 by hash of the text */
	uint32_t string_slots_room;
};

/* Memory errors end the program with a message: the simulator is a tool, not a library. */
struct script *script_new(uint64_t seed, uint32_t n_steps);
void script_free(struct script *script);

uint32_t script_string(struct script *s, const char *text); /* the same text, the same number */
/* A random word, by seed: NVTX names say nothing. */
uint32_t script_word(struct script *s, uint64_t place);
uint32_t script_host(struct script *s, uint32_t cores);
/* A process with n_devices devices on `host`. Makes pointers to other processes invalid. */
uint32_t script_process(struct script *s, uint32_t host, int32_t rank, int32_t world_size,
						uint32_t n_devices);
uint16_t script_thread(struct script *s, uint32_t process, const char *name);
/* Does the thread make batches for others? It stands for a process of its own, as workers are. */
bool script_is_loader(const struct process_def *process, uint32_t thread);
uint16_t script_stream(struct script *s, uint32_t process, uint16_t device, bool legacy);
uint16_t script_event(struct script *s, uint32_t process);
uint16_t script_semaphore(struct script *s, uint32_t process);
uint16_t script_queue(struct script *s, uint32_t process, uint32_t capacity);
/* `devices`: global device indices of the members. */
uint32_t script_comm(struct script *s, const char *name, const uint32_t *devices, uint32_t size,
					 uint32_t bandwidth, uint32_t latency_ns);
/* A kernel of a class: name and typical duration (times factor) drawn by `place` from its table. */
uint32_t script_kernel(struct script *s, enum sim_table table, uint64_t place, uint32_t factor);
uint32_t script_kernel_exact(struct script *s, const char *name, int64_t dur_ns, uint16_t share);
uint32_t script_graph(struct script *s);
void script_graph_node(struct script *s, uint32_t graph, uint32_t kernel, int32_t after);

void program_add(struct program *p, struct insn insn);
/* Calls that a job could do without. */
enum removable { CALLS_SYNC, CALLS_ALLOC, CALLS_KINDS };
/* Takes them out of all steps: waits for the device and results read back, copies from pageable
 * memory become asynchronous ones; allocations and frees. */
void script_without(struct script *s, enum removable calls);

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
