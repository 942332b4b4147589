/* A descriptor of the graph interface: attributes as they were set. One thread at a time, as cuDNN
 * asks of its callers. */
#ifndef SIMGPU_DOUBLES_CUDNN_BAG_H
#define SIMGPU_DOUBLES_CUDNN_BAG_H

#include "doubles/cudnn/work.h"

struct bag_value {
	struct bag_value *next;
	int attribute, type;
	int64_t n;
	char data[]; /* elements, each as the type has it */
};

struct bag {
	uint64_t magic;
	int type; /* enum dnn_descriptor_type */
	bool finalized;
	struct bag_value *values;
	struct work work; /* of a graph, and of what was made from it */
};

struct bag *bag_new(int type);
/* NULL: not one of ours. */
struct bag *bag_of(const void *handle);
void bag_free(struct bag *bag);
/* 0: no such type. */
size_t bag_type_bytes(int type);
/* In place of what was there. False without memory. */
bool bag_set(struct bag *bag, const struct bag_value *what, const void *elements);
/* NULL when it was not set. */
const struct bag_value *bag_get(const struct bag *bag, int attribute);
/* The i-th descriptor that an attribute names; NULL none. */
struct bag *bag_descriptor(const struct bag *bag, int attribute, int64_t i);

#endif
