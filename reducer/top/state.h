/* Does a process of a run live? From its trace file and, on its own host, from /proc. Nothing is
 * locked and nothing is written. */
#ifndef TOP_STATE_H
#define TOP_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct run_process;

enum top_state {
	TOP_RUNS,
	TOP_STALLS, /* its trace is written, but its GPU has ended no work for a while */
	TOP_SILENT, /* its trace is not written, and whether it lives is not known */
	TOP_ENDED,
	TOP_KILLED /* it is gone without having closed its trace, or a salvage has closed it */
};
const char *top_state_name(enum top_state state);

/* The process of this trace lives on this host, so /proc tells about it. */
bool top_state_is_here(const struct run_process *process);
/* *quiet_ns: for how long its trace has not been written; -1: not known. */
enum top_state top_state_of(const struct run_process *process, int64_t now_ns, int64_t *quiet_ns);

#endif
