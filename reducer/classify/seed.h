/* The grouping rule of the nvprof study of BERT and GPT-2, bit for bit. */
#ifndef CLASSIFY_SEED_H
#define CLASSIFY_SEED_H

#include "classify/classes.h"
#include "classify/identifier.h"

/* Sets group, class and rule. The study used demangled names, so for a mangled name its `parts` are
 * used. */
void seed_classify(const struct identifier *parts, const char *name, size_t bytes,
				   struct kernel_class *out);
const char *seed_label(
	enum group group); /* "matrix-mul"; nccl has no label of its own and is "memory_mgmt" */

#endif
