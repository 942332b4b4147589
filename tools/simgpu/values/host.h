/* What the values need of the driver that they are part of: whose memory an address is. */
#ifndef SIMGPU_VALUES_HOST_H
#define SIMGPU_VALUES_HOST_H

#include <stdbool.h>
#include <stddef.h>

#define VALUES_DEVICES 16

struct values_host {
	/* The device whose memory it is, below VALUES_DEVICES; -1 host memory. */
	int (*device)(const void *address);
	/* The block of device memory around the address: false none. */
	bool (*block)(const void *address, void **start, size_t *bytes);
	size_t zero_bytes; /* results up to that size read as zero; 0: none does, nothing is noted */
};

/* Nothing is device memory until this was called: once, before the first launch. */
void values_open(const struct values_host *host);
const struct values_host *values_host(void);

#endif
