/* What the host does while the GPU is idle, as bits of a call, a range or a silent thread. */
#ifndef CLASSIFY_HOST_CLASSES_H
#define CLASSIFY_HOST_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* the deciding bits, of which the first one that is set wins, and then the others */
enum host_bit {
	HOST_BIT_NO_CORE,
	HOST_BIT_ALLOC,
	HOST_BIT_MODULE_LOAD,
	HOST_BIT_INPUT,
	HOST_BIT_NCCL_HOST,
	HOST_BIT_SYNC,
	HOST_BIT_PROFILER,
	HOST_BIT_QUEUE_FULL,
	HOST_BIT_BLOCKED,
	HOST_BIT_CALL,
	HOST_BITS_DECIDING,
	HOST_BIT_DRIVING = HOST_BITS_DECIDING, /* a GPU-driving call */
	HOST_BIT_GRAPH_LAUNCH,
	HOST_BIT_FREE,  /* the call waits for the device and frees memory */
	HOST_BIT_AWAKE, /* schedstat says that the thread did not sleep */
	HOST_BIT_STEP,  /* a range with the name of a step */
	HOST_BIT_KNOWN  /* for caches: this name has been looked up */
};

#define HOST_MASK(bit) (1u << (bit))

/* The classes that a user may give a call (else a range or a frame), and all their names in one
 * text. False: there is no such class. */
extern const char host_class_names[];
bool host_class_find(const char *name, bool of_call, uint32_t *mask);

/* The bits that those classes decide. */
enum {
	HOST_CLASS_BITS = HOST_MASK(HOST_BIT_ALLOC) | HOST_MASK(HOST_BIT_MODULE_LOAD) |
					  HOST_MASK(HOST_BIT_INPUT) | HOST_MASK(HOST_BIT_NCCL_HOST) |
					  HOST_MASK(HOST_BIT_SYNC) | HOST_MASK(HOST_BIT_FREE)
};

#endif
