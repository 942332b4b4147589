/* Which bytes of device memory are known: written by a copy, a memset, a collective or a formula, and
 * not overwritten by a kernel since. Kernels compute nothing, so a small result that is read back
 * after one would be whatever the memory held before: such reads give zeros (docs/SIMGPU.md, "Under
 * PyTorch"). All with the engine's lock held. */
#ifndef SIMGPU_VALUES_KNOWN_H
#define SIMGPU_VALUES_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#define KNOWN_DEVICES 16

/* What is asked of the driver that the values are part of: whose memory an address is. */
struct known_memory {
	/* The device whose memory it is, below KNOWN_DEVICES; -1 host memory. */
	int (*device)(const void *address);
	/* The block of device memory around the address: false none. */
	bool (*block)(const void *address, void **start, size_t *bytes);
	size_t zero_bytes; /* results up to that size read as zero; 0: none does, nothing is noted */
};

/* Once, before the first launch. Until then all memory is the host's. */
void known_open(const struct known_memory *memory);
/* The block of device memory around the address: false none. */
bool known_block(const void *address, void **start, size_t *bytes);

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
