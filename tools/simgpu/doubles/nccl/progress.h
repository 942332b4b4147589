/* Moves a task on as far as it goes without waiting. */
#ifndef SIMGPU_DOUBLES_NCCL_PROGRESS_H
#define SIMGPU_DOUBLES_NCCL_PROGRESS_H

#include "doubles/nccl/plan.h"

/* True when anything moved. */
bool collective_progress(struct plan *plan, struct task *task);
bool message_progress(struct plan *plan, struct task *task);

#endif
