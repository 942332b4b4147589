/* The threads of a process that have a call which their timeline has not reached: a heap by the
 * call's begin, so that the cost does not grow with the number of threads. */
#ifndef ATTRIBUTE_WAITING_H
#define ATTRIBUTE_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waiting {
	struct waiting_thread {
		int64_t begin;
		uint32_t thread;
	} * at;
	size_t n, room;
};

void waiting_close(struct waiting *waiting);
/* Adds a thread whose next call begins at `begin`. 0 or -ENOMEM. */
int waiting_push(struct waiting *waiting, int64_t begin, uint32_t thread);
/* Removes the thread with the earliest call if that call begins before `to`; else returns false. */
bool waiting_pop(struct waiting *waiting, int64_t to, uint32_t *thread);

#endif
