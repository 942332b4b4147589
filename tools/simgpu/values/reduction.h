/* Kernels that make few results of many elements (formula.h): the argument, a ReduceOp as PyTorch's
 * Reduce.cuh lays it out, the same in 2.8 and 2.15, and their values. */
#ifndef SIMGPU_VALUES_REDUCTION_H
#define SIMGPU_VALUES_REDUCTION_H

#include "values/computed.h"

struct computed *reduction_read(const struct formula *formula, void **arguments); /* or NULL */
bool reduction_is_quick(const struct computed *c);
void reduction_run(const struct computed *c);

#endif
