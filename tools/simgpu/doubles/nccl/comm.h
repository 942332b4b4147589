/* A communicator: its board, its thread, and the kernels it has launched, in order. A kernel's
 * tasks are carried out by the communicator's thread once the stream has got there; calls and the
 * engine's thread only queue. The mutex guards the queue and what is beside it. */
#ifndef SIMGPU_DOUBLES_NCCL_COMM_H
#define SIMGPU_DOUBLES_NCCL_COMM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "doubles/nccl/board.h"
#include "doubles/nccl/nccl.h"
#include "doubles/nccl/plan.h"

enum { COMM_OPS = 16, COMM_FIRST_OP = 5, COMM_TEXT = 256 };

struct comm_op { /* a pre-multiplied sum */
	bool used;
	ncclDataType_t type;
	uint64_t factor;
	const void *factor_at;
};

struct ncclComm {
	struct board board;
	int ranks, rank, device;
	bool blocking;
	char name[BOARD_NAME]; /* the board's, also once the file has none */
	uint32_t splits, shrinks;

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	void (*carry_out)(struct plan *plan);
	struct plan *first, *last;
	uint64_t plans;
	bool stop;
	struct comm_op op[COMM_OPS];
	char text[COMM_TEXT]; /* of the error */

	_Atomic int joined, error; /* error: an ncclResult_t */
};

struct comm_place { /* where a rank stands */
	const char *name;
	int ranks, rank, device;
	bool blocking;
};

/* Joins without waiting for the others. Its thread carries out what kernel_launch() queued. */
ncclResult_t comm_open(struct ncclComm **comm, const struct comm_place *place,
					   void (*carry_out)(struct plan *plan));
/* Waits until all have joined. */
ncclResult_t comm_await(struct ncclComm *comm);
/* Waits until every kernel has ended, for at most that long (negative: as long as the driver is
 * there). */
bool comm_drain(struct ncclComm *comm, int64_t limit_ns);
void comm_close(struct ncclComm *comm);

/* The first error stays; peers are told. Returns `result`. */
ncclResult_t comm_fail(struct ncclComm *comm, ncclResult_t result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
ncclResult_t comm_error(struct ncclComm *comm);

/* The calling thread's last error, for calls that have no communicator. Returns `result`. */
ncclResult_t comm_refuse(ncclResult_t result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *comm_last_refusal(void);

/* The name of a communicator made from another: every member works out the same. */
void comm_child_name(const struct ncclComm *parent, char kind, uint32_t ordinal, int color,
					 char out[BOARD_NAME]);

#endif
