/* Which of the files that were opened are the run. Takes n log n for n files. */
#ifndef READ_RUN_CHOICE_H
#define READ_RUN_CHOICE_H

#include "read/run.h"

/* Keeps the files of one run, and one of each process; says what it leaves out. *status: what that
 * makes of the answer. 0 or -ENOMEM. */
int run_choose(struct run *run, int *status);

/* Says which ranks two processes have written. 0 or -ENOMEM. */
int run_same_ranks(struct run *run, int *status);

/* Frees what it holds; it is not of the run any more. */
void run_forget_process(struct run_process *process);

size_t run_processes_of(const struct run *run, uint32_t run_id);

#endif
