/* Calls that wait for the GPU, and calls that wait for a place in the launch queue. */
#ifndef GRAPH_WAITS_H
#define GRAPH_WAITS_H

#include "graph/process.h"

/* Adds the edges of host waits and of full queues; after threads_link(). `from_amount`: the number
 * of the process's first labelled time in the model. 0 or -ENOMEM. */
int waits_link(struct process *process, struct model *model, size_t from_amount);

#endif
