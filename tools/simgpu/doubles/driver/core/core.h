/* The engine in real time: one clock, one lock, one thread. Virtual time is CLOCK_REALTIME ns, read
 * once and carried on by CLOCK_MONOTONIC. Everything of the engine is touched under the lock; who
 * takes it first brings the agenda up to now, so ops start and end at the agenda's exact times
 * however late anybody wakes up. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_CORE_H
#define SIMGPU_DOUBLES_DRIVER_CORE_CORE_H

#include "doubles/cuda_abi.h"
#include "doubles/observe.h"
#include "engine/gpu.h"

#include <pthread.h>

enum core_life { /* of CUDA in this process */
				 CORE_NEW,
				 CORE_READY, /* inside cuInit: what it injects may call CUDA */
				 CORE_DONE,  /* cuInit has succeeded */
				 CORE_FORKED,
				 CORE_DEAD /* the process ends */
};

struct core {
	_Atomic int life;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* an op ended, a place in the queue is free, something was delivered */
	pthread_cond_t engine;  /* the engine's thread has work before it would wake up */
	struct agenda agenda;
	unsigned waiters;
	unsigned moves;   /* ops that move their bytes when they end */
	unsigned outside; /* submitted ops whose end a thread must bring about: wake up in time */
	bool progress;
	bool undelivered; /* delivery.h has something for the engine's thread */
	bool engine_sleeps;
	int64_t engine_wakes_ns;
};

extern struct core core;

/* 0 when CUDA may be used: cuInit has succeeded, this is no forked child, the process lives. */
int core_state(void);
/* Before anything else: the clock. */
void core_open(void);
int64_t core_now(void);
void core_lock(void);
void core_unlock(void);
/* Lock held: brings the agenda up to now. */
void core_advance(void);
/* Lock held, the engine's thread: sleeps until something is due. */
void core_engine_sleep(void);
/* Lock held: waits until done(who), at most until `until_ns`. False when time ran out. */
bool core_wait(bool (*done)(void *who), void *who, int64_t until_ns);
/* Lock held: waits until the op has ended. NULL: at once. */
bool core_wait_op(struct gpu_op *op, int64_t until_ns);

#endif
