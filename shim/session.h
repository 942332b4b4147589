/* The life of a recording: it begins with the first CUDA call of a process and ends with the
 * process. A forked child that uses CUDA itself begins its own. */
#ifndef SHIM_SESSION_H
#define SHIM_SESSION_H

#include <stdbool.h>

/* Reads the environment; once, in the constructor. */
void session_configure(void);
/* Begins the recording when it has not begun. False: nothing is recorded in this process. Any
 * thread. */
bool session_begin(void);
/* False: a limit leaves the recorder too little. Nothing is recorded then, and a line has said so.
 * Before CUPTI takes anything, and again as the recording begins. */
bool session_fits(void);
/* CUDA is used and CUPTI is not there: when the wrappers see no launch either, `baton record` is to
 * know that as the process ends. */
void session_may_stay_deaf(void);
/* The driver comes up: a recording that began before it, with a launch, ends before it all the
 * same. */
void session_ends_before_driver(void);
/* Drains everything and closes the files. The writer thread gets ten seconds for it; what is not
 * written by then stays in the live file. */
void session_end(void);

#endif
