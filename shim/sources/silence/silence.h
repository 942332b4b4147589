/* What a thread that launches does while it launches nothing: sched rows (ran, by its CPU clock;
 * waited for a core, by schedstat; slept, the rest), read by a thread of our own once a millisecond while some lane is
 * silent, more rarely when the silence lasts. Without schedstat in the kernel there are none (told
 * once with BATON_VERBOSE). */
#ifndef SHIM_SILENCE_H
#define SHIM_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The live file is open. A thread that cannot be started is no error: the rows are absent. */
void silence_start(void);
void silence_stop(bool goes_on);
void silence_forget(void);
/* The CPU time of its thread, once it has stopped. */
int64_t silence_cpu_ns(void);

#endif
