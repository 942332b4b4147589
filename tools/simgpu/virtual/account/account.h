/* The engine's own account of idle time: for every moment a device had nothing to run, what held up
 * the one it was waiting for. Written from the events that were executed; knows nothing of how the
 * reducer explains the same trace. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H
#define SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H

#include "virtual/script/script.h"

struct thread;
struct gpu_op;

struct segment { /* what a thread did */
	int64_t from_ns, to_ns;
	uint32_t cause;
	struct thread *other; /* it waited for this one */
};

/* Threads that hand over to one another share one. */
enum debtor { DEBTOR_SYNC, DEBTOR_ALLOC, DEBTORS }; /* calls that wait for the device, by cause */

struct lead {
	int64_t (*lost_ns)[DEBTORS]; /* per device of the process: how far the calls that waited for it
								  * set the threads back, less what that has cost since */
	uint32_t n_devices;
	enum debtor last; /* of them */
};

struct log { /* without gaps, oldest first */
	struct segment *at;
	size_t n;
	uint32_t room;
	struct lead *lead; /* of whoever this thread takes turns with; not owned */
};

#define ACCOUNT_QUEUE 1000 /* launches that a device's queue holds */

struct idle {
	int64_t from_ns, to_ns;
	uint32_t cause;
};

struct account {                      /* of a device */
	uint32_t number;                  /* of its process's devices */
	int64_t starts_ns[ACCOUNT_QUEUE]; /* of the last ops */
	uint64_t n_starts;
	struct idle *idle;
	size_t n;
	uint32_t room;
	int64_t *step_end_ns;   /* of the last op launched in the step; [0]: before the first */
	int64_t *step_begin_ns; /* of the first launch of the step; [0] unused */
	int32_t n_steps;
	int64_t first_ns, last_ns; /* hull */
};

void log_add(struct log *log, int64_t from_ns, int64_t to_ns, enum cause cause,
			 struct thread *other);
/* The thread was kept by its devices for that long, in a call of this cause, begin to return. */
void log_waited(struct log *log, int64_t ns, enum cause cause);
/* Nobody could be further ahead than this thread is: what the calls cost is over. */
void log_lead_ends(struct log *log);
/* The device of `op` had nothing to run in [from, op->start). */
void account_idle(struct account *account, const struct gpu_op *op, int64_t from_ns);
/* An op of the device has started. */
void account_start(struct account *account, const struct gpu_op *op);
/* An op of the device is over. */
void account_op(struct account *account, const struct gpu_op *op);
const char *cause_name(enum cause cause);

#endif
