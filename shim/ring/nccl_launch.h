/* What NCCL's border wants to know of the other sources: which launches of a thread NCCL makes. */
#ifndef SHIM_NCCL_LAUNCH_H
#define SHIM_NCCL_LAUNCH_H

#include <stdint.h>

/* A kernel launch on this thread while GUARD_NCCL is up. Its correlation goes to the operations
 * that wait for one: those of the communicator that has one on this stream. `symbol`: the kernel's
 * name, or NULL. */
void nccl_saw_launch(const void *stream, const char *symbol, uint32_t correlation);

#endif
