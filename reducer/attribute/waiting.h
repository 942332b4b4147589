/* Which threads of a process have a call that their timeline has not reached: a heap by its begin,
 * so that nobody walks over all the threads that there ever were. */
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
/* 0 or -ENOMEM. */
int waiting_push(struct waiting *waiting, int64_t begin, uint32_t thread);
/* Takes out the thread with the earliest call, when that one begins before `to`. */
bool waiting_pop(struct waiting *waiting, int64_t to, uint32_t *thread);

#endif
