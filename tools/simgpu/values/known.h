/* Which bytes of device memory are what somebody put there, and not what a kernel may have written
 * over: kernels compute nothing, so after one of them a small result that is read back would be
 * whatever the memory held before. Such reads give zeros (docs/SIMGPU.md, "Under PyTorch"). All
 * with the engine's lock held. */
#ifndef SIMGPU_VALUES_KNOWN_H
#define SIMGPU_VALUES_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

/* A kernel was launched on the device. */
void known_forget(int device);
/* A copy, a memset or a collective writes the bytes; `known`: what it writes is. */
void known_write(const void *target, size_t bytes, bool known);
/* How many of the bytes, from the first on. Host memory always is. */
size_t known_length(const void *address, size_t bytes);
bool known_bytes(const void *address, size_t bytes);
/* The source that a copy to the host reads: its own when its beginning is known (what follows was
 * never written then: an object in a buffer that is longer), or zeros. */
const void *known_source(const void *source, size_t bytes);

#endif
