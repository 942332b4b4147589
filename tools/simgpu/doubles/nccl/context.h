/* The few driver calls that the double makes: public entries of libcuda.so.1, as NCCL's own. */
#ifndef SIMGPU_DOUBLES_NCCL_CONTEXT_H
#define SIMGPU_DOUBLES_NCCL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Makes `device` current; false when it was, or cannot be. True: context_leave undoes it. */
bool context_enter(int device);
void context_leave(void);
/* Device memory of the current device. 0 or a CUresult. */
int context_alloc(void **ptr, size_t bytes);
int context_free(void *ptr);
int context_copy(void *to, const void *from, size_t bytes, void *stream);

#endif
