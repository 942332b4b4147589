/* What the world needs of the calls: which instruction is which call, and what the GPUs of this
 * driver do besides their own business. */
#ifndef SIMGPU_VIRTUAL_CALLS_CALLS_H
#define SIMGPU_VIRTUAL_CALLS_CALLS_H

#include "virtual/machine/state.h"

extern const struct gpu_hooks calls_hooks;

/* By instruction; NULL where it is no call. */
void calls_list(instruction *calls[INSN_KINDS]);

#endif
