/* Ranks of processes that no launcher told theirs: their places in the job's widest NCCL
 * communicator (docs/RECORD.md, "Ranks"). */
#ifndef READ_RUN_SEATS_H
#define READ_RUN_SEATS_H

#include "read/run.h"
#include "read/trace.h"

/* Notes the places of a process that has no rank. 0 or -ENOMEM. */
int run_seats_read(struct run_process *process, const struct trace *trace);
/* Gives the processes of a run in which nobody has a rank theirs. 0 or -ENOMEM. */
int run_seats_take(struct run *run);

#endif
