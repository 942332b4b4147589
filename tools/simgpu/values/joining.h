/* Kernels of torch.cat() (formula.h): their arguments, as PyTorch's Shape.cu lays them out, the
 * same in 2.8 and 2.15, and their values. */
#ifndef SIMGPU_VALUES_JOINING_H
#define SIMGPU_VALUES_JOINING_H

#include "values/computed.h"

/* `arrays`: how many there are. */
struct computed *joining_read(const struct formula *formula, void **arguments, unsigned arrays);
bool joining_is_quick(const struct computed *c);
void joining_run(const struct computed *c);

#endif
