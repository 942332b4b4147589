/* What the driver says of its devices: name, UUID, memory, multiprocessors. The border to libcuda.
 */
#ifndef SHIM_DEVICE_H
#define SHIM_DEVICE_H

#include <stdint.h>

struct device_facts {
	char name[128];
	char uuid[48]; /* GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, empty when unknown */
	uint64_t memory_bytes;
	uint32_t sm_count;
};

/* What cannot be found out is empty or 0. Needs no context; not from a callback of CUPTI. */
void device_ask(int ordinal, struct device_facts *facts);

#endif
