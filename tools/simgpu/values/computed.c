#include "values/computed.h"

#include "engine/room.h"

#include <stdlib.h>

struct computed *computed_new(const struct formula *formula, unsigned n_results, unsigned n_sources)
{
	struct computed *c =
		must(calloc(1, sizeof(*c) + (n_results + n_sources) * sizeof(struct view)));
	c->formula = *formula;
	c->n_results = n_results;
	c->n_sources = n_sources;
	c->results = (struct view *)(c + 1);
	c->sources = c->results + n_results;
	return c;
}

void computed_free(struct computed *computed)
{
	free(computed);
}
