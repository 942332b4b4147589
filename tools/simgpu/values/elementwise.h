/* Kernels that do the same to each element, and such that write numbers in a row (formula.h): their
 * arguments and their values. The layouts are those of PyTorch's CUDALoops.cuh, the same in 2.8 and
 * 2.15. */
#ifndef SIMGPU_VALUES_ELEMENTWISE_H
#define SIMGPU_VALUES_ELEMENTWISE_H

#include "values/computed.h"

struct computed *elementwise_read(const struct formula *formula, void **arguments); /* or NULL */
bool elementwise_is_quick(const struct computed *c);
/* Some operands are not known: is there an answer all the same? (`now`: as computed_note's) */
bool elementwise_answer(struct computed *c, bool now);
void elementwise_run(const struct computed *c);

#endif
