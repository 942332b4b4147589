/* From a graph of operations to the one kernel that stands for it. */
#ifndef SIMGPU_RT_DNN_GRAPH_H
#define SIMGPU_RT_DNN_GRAPH_H

#include "bag.h"

/* A status: what a graph's operations are, as a work. */
int graph_work(const struct bag *graph, struct work *work);

#endif
