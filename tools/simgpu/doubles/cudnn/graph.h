/* From a graph of operations to the one kernel that stands for it. */
#ifndef SIMGPU_DOUBLES_CUDNN_GRAPH_H
#define SIMGPU_DOUBLES_CUDNN_GRAPH_H

#include "doubles/cudnn/bag.h"

/* A status: what a graph's operations are, as a work. */
int graph_work(const struct bag *graph, struct work *work);

#endif
