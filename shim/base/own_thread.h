/* Threads of our own inside the job: no signals, the job's own priority, any core, a small stack,
 * not recorded. */
#ifndef SHIM_OWN_THREAD_H
#define SHIM_OWN_THREAD_H

#include <stdbool.h>

/* Detached. With `own_files` it has a descriptor table of its own, empty: what it opens never takes
 * a number from the job, and it holds none of the job's pipes open (Linux 5.9; before, it shares
 * the table). Not for a thread that calls CUPTI or the driver, which have descriptors. 0 or -errno.
 */
int own_thread_start(const char *name, void (*run)(void), bool own_files);
/* Has the calling thread a descriptor table of its own? */
bool own_thread_files(void);

#endif
