/* The same work on other devices: what a device's position takes elsewhere. */
#ifndef GRAPH_COMPARE_H
#define GRAPH_COMPARE_H

#include "graph/model.h"

struct compared {
	int64_t ns, others_ns, mean_ns; /* others_ns: their median; -1: no other device has it */
	uint32_t edge, position;        /* its row of `positions` */
	uint32_t nth;                   /* of its unit with this key */
	uint16_t unit;
	bool alike; /* they are all of its program, and at least one other */
};

/* Compares positions; *out has a row of each, in their order, and the caller frees it. The others are the `units`
 * with the same sequence of kernels, where there is one (the stages of a pipeline differ). 0 or
 * -ENOMEM. */
int compare_positions(const struct position *positions, size_t n, const struct unit *units,
					  struct compared **out);

/* What each of them takes usually: the median over the steps of its own unit; -1: too few have it. The
 * caller frees *out. 0 or -ENOMEM. */
int compare_steps(const struct position *positions, const struct compared *rows, size_t n,
				  int64_t **out);

/* All rows of a unit are among these; of a process with one device all of these are its. */
struct unit_rows {
	size_t from, to;
};

/* By unit. The caller frees it. NULL: no memory. */
struct unit_rows *compared_by_unit(const struct compared *rows, size_t n, size_t n_units);

#endif
