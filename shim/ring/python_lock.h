/* The interpreter's lock (the GIL) of CPython 3.11 to 3.13, looked at from outside by reads that cannot
 * fault: the lock is never taken. The sampler's thread. (sources/stacks/python_lock.c) */
#ifndef SHIM_PYTHON_LOCK_H
#define SHIM_PYTHON_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct python_lock {
	uint64_t from, to;  /* where it lies: its waiters sleep on a word in there */
	const void *holder; /* a thread state; NULL: nobody has it */
};

/* The lock that `thread` (stack_thread()) takes. False: it is not known. */
bool python_lock_look(const void *thread, struct python_lock *lock);

/* The threads of a thread state: gettid() and pthread_self(). False: it is none any more. */
bool python_lock_thread(const void *state, uint32_t *tid, uint64_t *owner);

#endif
