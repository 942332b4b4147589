/* A launched kernel whose formula is known: where its operands and its result are, read from the
 * arguments when it is launched; worked out when its bytes may move. All with the engine's lock
 * held. */
#ifndef SIMGPU_RT_COMPUTED_H
#define SIMGPU_RT_COMPUTED_H

#include "formula.h"

struct computed;

/* NULL: the arguments are not what the formula expects; anything may have been written. `arrays`:
 * how many a joining kernel has. */
struct computed *computed_read(const struct formula *formula, void **arguments, unsigned arrays);
/* Notes what the launch makes of the result's bytes (known.h). False: they depend on bytes that
 * nobody knows, there is nothing to work out. */
bool computed_note(struct computed *computed);
void computed_run(const struct computed *computed);
void computed_free(struct computed *computed);

#endif
