/* What a thread has called since ncclGroupStart, and what happens when the group ends. Calls
 * outside a group are groups of one. */
#ifndef SIMGPU_DOUBLES_NCCL_GROUP_H
#define SIMGPU_DOUBLES_NCCL_GROUP_H

#include <stdbool.h>

#include "doubles/nccl/task.h"

struct ncclComm;

void group_begin(void);
/* Of the outermost: launches. The first error of the group, if any call had one. */
ncclResult_t group_end(void);
/* Of the outermost: forgets the tasks; what they would have taken, in ns. */
ncclResult_t group_estimate(int64_t *ns);
bool group_is_open(void);
/* A copy of the task joins the group. */
ncclResult_t group_add(const struct task *task);
/* `finish(comm)` runs when the group ends, before anything is launched. */
ncclResult_t group_defer(ncclResult_t (*finish)(void *), void *what);
/* A call failed: the whole group does. Returns `result`. */
ncclResult_t group_result(ncclResult_t result);

#endif
