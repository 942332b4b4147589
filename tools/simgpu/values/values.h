/* What small kernels compute: a launch is read when it is submitted, noted, and worked out when its
 * bytes may move. All with the engine's lock held. */
#ifndef SIMGPU_VALUES_VALUES_H
#define SIMGPU_VALUES_VALUES_H

#include "values/computed.h"

/* NULL: the arguments are not what the formula expects; anything may have been written. `arrays`:
 * how many a joining kernel has. */
struct computed *values_read(const struct formula *formula, void **arguments, unsigned arrays);
/* Notes what the launch makes of the results' bytes (known.h). False: they depend on bytes that
 * nobody knows, there is nothing to work out. `now`: operands have their values already. */
bool values_note(struct computed *computed, bool now);
void values_run(const struct computed *computed);

#endif
