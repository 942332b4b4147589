/* The same work on other devices: what a device's position takes elsewhere. */
#ifndef GRAPH_COMPARE_H
#define GRAPH_COMPARE_H

#include "graph/model.h"

struct compared {
	int64_t ns, others_ns, mean_ns; /* others_ns: their median; -1: no other device has it */
	uint32_t edge, position;        /* its row of `positions` */
	uint16_t unit;
	bool alike; /* they are all of its program, and at least one other */
};

/* Compares positions; *out has as many rows, and the caller frees it. The others are the `units`
 * with the same sequence of kernels, where there is one (the stages of a pipeline differ). 0 or
 * -ENOMEM. */
int compare_positions(const struct position *positions, size_t n, const struct unit *units,
					  struct compared **out);

#endif
