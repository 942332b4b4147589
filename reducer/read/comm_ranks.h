/* Ranks of processes that no launcher told theirs: their places in the job's widest NCCL
 * communicator (docs/RECORD.md, "Ranks"). */
#ifndef READ_COMM_RANKS_H
#define READ_COMM_RANKS_H

#include "read/process.h"
#include "read/trace.h"

/* Notes the places of a process that has no rank. 0 or -ENOMEM. */
int comm_ranks_read(struct run_process *process, const struct trace *trace);
/* Gives the processes of a run in which nobody has a rank theirs. 0 or -ENOMEM. */
int comm_ranks_take(struct run_process *processes, size_t n_processes);

#endif
