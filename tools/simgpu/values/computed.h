/* A launched kernel whose formula is known: where its operands and its results are. */
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
void computed_free(struct computed *computed);

#endif
