/* The transformer: which kernels a pass consists of, in which order. */
#ifndef SIMTRAIN_MODEL_H
#define SIMTRAIN_MODEL_H

#include <stddef.h>

#include "kernels.h"
#include "options.h"

struct model {
	const struct options *options;
	struct launcher launcher;
	void *scratch; /* device memory, 4 bytes at least */
};

void model_forward(const struct model *model);
/* `layer_done(who, layer)` after each layer, the last one first. */
void model_backward(const struct model *model, void (*layer_done)(void *who, int layer), void *who);
void model_optimizer(const struct model *model);

/* "step N checksum X" of the reduced gradients on stdout, at once. */
void model_print_checksum(int step, const float *values, size_t n);

#endif
