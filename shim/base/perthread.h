/* Memory that belongs to one thread each and that other threads may walk: blocks of anonymous
 * pages, never unmapped, handed on to a new thread when theirs has ended. Not TLS: a library
 * that is opened late gets little static TLS. */
#ifndef SHIM_PERTHREAD_H
#define SHIM_PERTHREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct perthread_block { /* the first member of a user's structure */
	struct perthread_block *next;
	_Atomic(void *) holder; /* NULL: its thread has ended */
};

struct perthread { /* static storage, {.bytes, .gone} */
	size_t bytes;
	void (*gone)(void); /* the calling thread has given its block back: forget it */
	_Atomic(struct perthread_block *) all;
	pthread_key_t key;
	atomic_int state; /* of key: 0 none, 1 being made, 2 there, 3 there will be none */
};

/* The calling thread's new block, NULL when there is no memory for one. Call it once per thread and
 * keep the answer in TLS. A fresh block is zero, another is as the thread before left it. */
void *perthread_open(struct perthread *pool);

#endif
