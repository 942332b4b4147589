/* Whom a silent thread waits for when it waits for Python's lock (the GIL): who has it, and where that
 * thread stands. Of the sampler's thread. */
#ifndef SHIM_HOLDER_H
#define SHIM_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

struct lane_owner;

/* Of one row: the thread that had the lock at most looks. */
struct holder {
	const void *state; /* its thread state; NULL: nobody */
	uint32_t votes;
	uint32_t thread, stack; /* ids */
};

/* Does the thread `tid` wait for the lock of `owner`'s interpreter, and another thread has it? Then
 * `holder` gets a vote. */
bool holder_look(struct holder *holder, const struct lane_owner *owner, uint32_t tid);
/* A recording begins. */
void holder_forget(void);

#endif
