/* What is our own inside the job. Threads: no signals, the job's own priority, any core, a small
 * stack, not recorded. Descriptors: out of the way of the job's, whose numbers start from 0. */
#ifndef SHIM_OWN_H
#define SHIM_OWN_H

#include <stdbool.h>

/* Detached. With `own_files` it has a descriptor table of its own, empty: what it opens never takes
 * a number from the job, and it holds none of the job's pipes open (Linux 5.9; before, it shares
 * the table). Not for a thread that calls CUPTI or the driver, which have descriptors. 0 or -errno.
 */
int own_thread_start(const char *name, void (*run)(void), bool own_files);

/* A descriptor that stays open moves near the top of the table that the process has. The same
 * number when that is not possible, when it is < 0, or in a thread with a table of its own. */
int own_fd(int fd);

#endif
