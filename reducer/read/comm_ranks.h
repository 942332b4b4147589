/* Ranks of processes to which no launcher gave one: their places in the job's widest NCCL
 * communicator (docs/RECORD.md, "Ranks"). */
#ifndef READ_COMM_RANKS_H
#define READ_COMM_RANKS_H

#include "read/process.h"
#include "read/trace.h"

/* Notes the places of a process in its communicators, if it has no rank. 0 or -ENOMEM. */
int comm_ranks_read(struct run_process *process, const struct trace *trace);
/* A process's own place in a communicator (an index of its trace); -1: not recorded. */
int32_t comm_ranks_own(const struct trace *trace, uint32_t comm);
/* Gives the processes their ranks, if no process of the run has one and the widest communicator has
 * a single place for each process that is in any; else changes nothing. 0 or -ENOMEM. */
int comm_ranks_take(struct run_process *processes, size_t n_processes);

#endif
