/* The thread that moves everything into the trace file: slots out of the lanes, records out of
 * CUPTI's buffers, the dictionary. It blocks all signals, runs on the widest affinity, and writes
 * at least once a second; what it has written leaves the rings only then. */
#ifndef SHIM_WRITER_H
#define SHIM_WRITER_H

/* The live file, the trace file and the dictionary are open. 0 or -errno. */
int writer_start(void);
/* Drains everything, closes the file, removes the live file; waits at most a few seconds for that.
 */
void writer_stop(void);

#endif
