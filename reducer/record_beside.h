/* A process beside the job, started by `baton record`: it looks at the traces while the job runs, at
 * a low priority, and ends with `baton record`. */
#ifndef RECORD_BESIDE_H
#define RECORD_BESIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct beside {
	const char *option;  /* that asks for it, as messages name it */
	const char *without; /* what is so where there is no such process: a clause for messages */
	/* What it does: one turn after the other, as long as beside_goes_on(parent). */
	void (*be)(void *of, pid_t parent);
	void *of;
	pid_t process; /* 0: none */
	int begun;     /* processes so far: one that is killed has a successor, nine times at most */
	double cpu_s;  /* of the processes that have ended */
};

/* Starts it; call it before there is a thread. */
void beside_begin(struct beside *beside);
/* Starts another one if it has ended, a few times. */
void beside_attend(struct beside *beside);
/* Ends it. */
void beside_end(struct beside *beside);

/* For that process. */
bool beside_goes_on(pid_t parent);
/* CLOCK_REALTIME, in ns. */
int64_t beside_now_ns(void);
void beside_sleep_until(int64_t at_ns);
/* One turn, in a process of its own: what it takes of memory, or ends it, is gone with it. `quiet`:
 * it says nothing. An enum status; STATUS_INPUT: it did not end by itself. */
int beside_turn(int (*work)(void *of), void *of, bool quiet);

#endif
