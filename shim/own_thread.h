/* Threads of our own inside the job: no signals, lowest priority, any core, a small stack, not
 * recorded. */
#ifndef SHIM_OWN_THREAD_H
#define SHIM_OWN_THREAD_H

#include <stdbool.h>

/* Detached. 0 or -errno. */
int own_thread_start(const char *name, void (*run)(void));
/* From now on this thread's descriptors are none of the job's: it has no open file, and what it
 * opens takes no number and no room from the job. False before Linux 5.9. */
bool own_thread_private_files(void);

#endif
