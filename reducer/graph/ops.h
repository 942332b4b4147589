/* The ops of a process as nodes and edges: durations, members of collectives, the ends of steps. */
#ifndef GRAPH_OPS_H
#define GRAPH_OPS_H

#include "graph/process.h"

/* Notes which kernels follow each other on each device. */
void ops_note_sequences(struct process *process, struct model *model);
/* Adds two nodes and an edge for each op. 0 or -ENOMEM. */
int ops_open(struct process *process, struct model *model);
/* Notes collectives, the last ops of steps, and the kernels that are compared with other devices.
 * 0 or -ENOMEM. */
int ops_note(struct process *process, struct model *model);
bool op_is_nccl(struct process *process, uint32_t name);

#endif
