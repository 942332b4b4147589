/* Host functions as work of their streams: what follows one waits until it is through, however early
 * it was launched. */
#ifndef GRAPH_HOST_FUNCS_H
#define GRAPH_HOST_FUNCS_H

#include "graph/process.h"

struct host_func {
	int64_t begin, end;
	uint32_t stream;
};

struct host_funcs {
	struct host_func *at; /* by stream and begin */
	size_t n;
	/* From the end of what a stream does to the begin of a function that follows it: the middle one of
	 * those that were launched in time; 0 without such. */
	int64_t begins_after_ns;
};

/* 0 or -ENOMEM; host_funcs_close() either way. */
int host_funcs_open(struct host_funcs *funcs, const struct process *process);
void host_funcs_close(struct host_funcs *funcs);

/* How long a stream that is through with its work at span[0] takes for the functions that ran on it
 * before an op began at span[1], and until then where that op follows the last one at once
 * (*follows); 0: there were none. */
int64_t host_funcs_take(const struct host_funcs *funcs, uint32_t stream, const int64_t span[2],
						bool *follows);

#endif
