/* Threads of a process that each train by themselves: whose marks make the steps of a device
 * (docs/ATTRIBUTION.md section 2). */
#ifndef STEPS_LOOPS_H
#define STEPS_LOOPS_H

#include "read/trace.h"

enum { LOOP_THREAD_BYTES = 80 };

/* A mark, of a step or of an optimizer, as far as loops need to know it. */
struct loop_mark {
	int64_t begin_ns, end_ns; /* end_ns INT64_MIN: an instant, told by its number */
	int64_t number;           /* -1: none */
	uint32_t thread;          /* index in the trace */
	uint32_t name;            /* of the optimizer, in any numbering */
};

struct loops {
	uint32_t *of_thread; /* by thread: its loop, from 1; 0: none */
	uint64_t *marks;     /* by loop - 1 */
	uint64_t *launches;  /* the same; loops_choose() fills it, and `most` */
	uint32_t *most;      /* its thread with most launches */
	uint32_t n;          /* below 2: one loop, and nothing else is here */
};

/* Whose steps a device has; all 0 where the process has one loop. */
struct loop_choice {
	uint32_t loops;  /* of the process */
	uint32_t here;   /* of them, those that launched kernels on the device */
	uint64_t beside; /* marks of the others of `here` */
	char thread[LOOP_THREAD_BYTES];
};

/* By markers of steps, sorted by begin, then longer first. 0 or -ENOMEM. */
int loops_of_markers(const struct trace *trace, const struct loop_mark *marks, size_t n,
					 struct loops *out);
/* By marks of optimizers; those of autograd's threads belong to the only other thread. */
int loops_of_optimizers(const struct trace *trace, const struct loop_mark *marks, size_t n,
						struct loops *out);
void loops_free(struct loops *loops);

/* The loop whose threads launched most, else the one with most marks, else the first one. `launches`: by
 * thread of the trace, of kernels on the device; NULL: not known. */
uint32_t loops_choose(const struct trace *trace, struct loops *loops, const uint64_t *launches,
					  struct loop_choice *choice);

/* Runs a backward pass for other threads. */
bool loops_is_autograd(const struct trace *trace, uint32_t thread);

/* How a thread is named in a report. */
void loops_name_thread(const struct trace *trace, uint32_t thread, char text[LOOP_THREAD_BYTES]);

#endif
