/* Ops that wait for an event which another stream recorded. Traces without the arguments of
 * cudaStreamWaitEvent have only the calls: the pairs of streams that no instance of a wait refutes
 * are taken. */
#ifndef GRAPH_EVENTS_H
#define GRAPH_EVENTS_H

#include "graph/arrivals.h"

/* 0 or -ENOMEM. */
int events_arrive(const struct process *process, struct arrivals *arrivals);

#endif
