/* A launched kernel whose formula is known: where its operands and its results are, read from the
 * arguments when it is launched; worked out when its bytes may move. All with the engine's lock
 * held. */
#ifndef SIMGPU_VALUES_COMPUTED_H
#define SIMGPU_VALUES_COMPUTED_H

#include "values/formula.h"
#include "values/number.h"
#include "values/view.h"

struct computed {
	struct formula formula;
	union number number, alpha; /* of the functor */
	int comparison;
	/* nobody knows all operands: the answer is that of any finite number; or the known one
	 * decides, and this is the answer */
	bool assumed, decided;
	union number answer;
	unsigned n_results, n_sources;
	struct view *results, *sources; /* what is joined: as many results as sources */
};

/* With views of no elements yet. */
struct computed *computed_new(const struct formula *formula, unsigned n_results,
							  unsigned n_sources);
/* NULL: the arguments are not what the formula expects; anything may have been written. `arrays`:
 * how many a joining kernel has. */
struct computed *computed_read(const struct formula *formula, void **arguments, unsigned arrays);
/* Notes what the launch makes of the results' bytes (known.h). False: they depend on bytes that
 * nobody knows, there is nothing to work out. `now`: operands have their values already. */
bool computed_note(struct computed *computed, bool now);
void computed_run(const struct computed *computed);
void computed_free(struct computed *computed);

#endif
