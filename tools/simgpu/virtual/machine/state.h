/* What the simulated machines are made of: hosts with cores, processes with a GIL, threads that
 * execute a script's programs, GPUs, ranks that meet. Only data; the modules beside this file and
 * those of calls/ work on it. Each host has its own clock and is worked on by one thread at a time;
 * what hosts share is under the world's lock. */
#ifndef SIMGPU_VIRTUAL_MACHINE_STATE_H
#define SIMGPU_VIRTUAL_MACHINE_STATE_H

#include "engine/gpu.h"
#include "virtual/account/account.h"
#include "virtual/machine/meeting.h"
#include "virtual/script/script.h"

#include <baton/format.h>

struct recorder;

struct thread;
struct thread_list {
	struct thread *head, **tail;
};

enum thread_mode { MODE_SETUP, MODE_TRAIN, MODE_EVAL, MODE_OVER };

typedef void instruction(struct thread *thread); /* begins one; thread_next() when it is done */

struct frame {
	const struct program *program;
	uint32_t pc;
	uint32_t place; /* random numbers: which program this is */
	uint32_t pass;  /* of the point at which a fault put it in */
};

struct thread {
	struct process *process;
	const struct thread_def *def;
	uint32_t id; /* of all threads of all processes */
	uint32_t index;
	enum thread_mode mode;
	int32_t step; /* how many TRAIN programs were begun, - 1 */
	uint32_t evals_left;
	struct frame frames[3];
	int depth;
	const struct insn *insn;
	uint32_t passes[POINT_COUNT];
	/* CPU time under way */
	int64_t busy_left_ns;
	int64_t slice_ns;
	int64_t core_since_ns;
	enum cause busy_cause;
	bool busy_gil;
	bool has_core;
	bool spins;       /* waits on its core */
	bool preempt_due; /* it will be asked to leave the core */
	struct thread *next_spinner;
	void (*then)(struct thread *thread);
	int64_t asked_ns;
	struct thread *next; /* in a list of waiters */
	/* the call under way */
	bool call_begins; /* as soon as it has core and GIL */
	int64_t call_begin_ns, outer_begin_ns;
	struct gpu_op *op;
	uint64_t correlation;
	uint32_t group; /* open groups of NCCL calls */
	struct parts *parts;
	unsigned coll;     /* of the NCCL call under way */
	int64_t waited_ns; /* in the last synchronising call */
	int64_t range_begin_ns[16];
	uint32_t range_name[16];
	int n_ranges;
	int64_t step_begin_ns;
	struct log log;
};

struct semaphore {
	uint32_t value;
	struct thread *waiting;
};

struct queue {
	uint32_t items, capacity;
	struct thread_list getters, putters;
};

struct pair { /* sends to, or receives from, one member of a communicator */
	uint32_t comm, peer;
	bool sends;
	uint64_t sequence;
	struct pair *next;
};

struct device {
	struct gpu gpu;
	const struct device_def *def;
	struct process *process;
	uint32_t index;               /* of all devices */
	struct thread_list launchers; /* the queue is full */
	struct account account;
	uint64_t *sequences; /* per communicator */
	struct pair *pairs;
};

struct process {
	struct world *world;
	struct host *host;
	const struct process_def *def;
	uint32_t index;
	struct device *devices;
	struct gpu_stream **streams;
	struct gpu_op **events;
	struct semaphore *semaphores;
	struct queue *queues;
	struct thread *threads;
	uint32_t running; /* threads that are no daemons */
	struct thread *gil;
	struct thread_list gil_waiters;
	uint64_t correlation;
	int32_t step;
	uint8_t *loads;            /* per step: it loaded modules for long */
	struct recorder *recorder; /* NULL: nothing is written */
};

struct outside { /* an op whose end depends on other hosts */
	struct gpu_op *op;
	int64_t at_ns;   /* of the message: its end; of a pending op: the earliest end possible */
	int64_t last_ns; /* of the message: when the last member came, and which device that was */
	uint32_t last;
};

enum host_state { HOST_QUEUED, HOST_RUNNING, HOST_WAITING, HOST_OVER };

struct host { /* one clock */
	struct world *world;
	const struct host_def *def;
	struct agenda agenda;
	uint32_t cores_free;
	struct thread_list core_waiters;
	struct thread *spinners;
	struct outside *pending;
	uint32_t n_pending, pending_room;
	struct outside *inbox; /* under the world's lock */
	uint32_t n_inbox, inbox_room;
	enum host_state state;
	int64_t grant_ns; /* may go this far though others are pending */
	struct host *next;
};

struct world {
	const struct script *script;
	struct meetings meetings;
	struct host *hosts;
	uint32_t n_hosts;
	struct process *processes;
	struct thread *threads;         /* all */
	instruction *calls[INSN_KINDS]; /* the instructions that are calls */
	bool truth;                     /* keep the account of idle time */
	uint32_t nccl_strings[BATON_COLL_END];
	/* who runs next */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct host *queue, **queue_tail;
	uint32_t n_running, n_over;
};

static inline int64_t thread_now(const struct thread *thread)
{
	return thread->process->host->agenda.now_ns;
}

#endif
