/* Threads of our own inside the job: no signals, lowest priority, any core, a small stack, not
 * recorded. */
#ifndef SHIM_OWN_THREAD_H
#define SHIM_OWN_THREAD_H

/* Detached. 0 or -errno. */
int own_thread_start(const char *name, void (*run)(void));

#endif
