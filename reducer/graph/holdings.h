/* When a thread that holds Python's lock loses time that a cause has: those who wait for the lock lose
 * it too (docs/GRAPH.md, "Labels"). */
#ifndef GRAPH_HOLDINGS_H
#define GRAPH_HOLDINGS_H

#include "graph/process.h"

/* Fills process->holdings and profilings, as far as a thread waits for a lock that another one holds.
 * The threads with calls are known. 0 or -ENOMEM. */
int holdings_find(struct process *process);
/* The first of a thread (of the trace) that ends after `ns`; it may be of the next one. */
size_t holdings_from(const struct process *process, uint32_t thread, int64_t ns);
/* The first of the process's profilings that ends after `ns`. */
size_t profilings_from(const struct process *process, int64_t ns);

#endif
