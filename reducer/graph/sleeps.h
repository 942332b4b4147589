/* Sleep of a thread that the recorder put where the profiler worked on it (docs/GRAPH.md, "Labels"). */
#ifndef GRAPH_SLEEPS_H
#define GRAPH_SLEEPS_H

#include "graph/process.h"

/* Moves it to other rows of the thread, which are sorted, as are the spans of the process. */
void sleeps_place(const struct process *process, struct host_thread *thread);

#endif
