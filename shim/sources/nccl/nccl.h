/* The NCCL border: every public call is forwarded to the loaded library's own (pncclX), recorded
 * as a call, and each collective, send or receive with its arguments and the kernel that carries
 * it. nccl_plt.c (generated) and nccl_comm_calls.c hold the wrappers, nccl_comm.h the
 * communicators. */
#ifndef SHIM_NCCL_H
#define SHIM_NCCL_H

#include "base/guard.h"

#include <stdbool.h>
#include <stdint.h>


/* A kernel launch by NCCL on this thread. Its correlation goes to the operations that wait for one:
 * those of the communicator that has one on this stream. `symbol`: the kernel's name, or NULL. */
void nccl_saw_launch(const void *stream, const char *symbol, uint32_t correlation);

#endif
