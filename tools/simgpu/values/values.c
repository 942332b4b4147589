#include "values/values.h"

#include "values/elementwise.h"
#include "values/joining.h"
#include "values/reduction.h"

/* Bytes that are worth working out while the launching thread waits: numbers one by one; what is
 * joined in few runs, and flags, which are quick. */
#define MOST_NUMBERS ((size_t)16 << 10)
#define MOST_BYTES ((size_t)4 << 20)

static bool sound(const struct computed *c)
{
	bool sound = c->n_results != 0;
	for (unsigned i = 0; sound && i < c->n_results + c->n_sources; i++)
		sound = view_is_sound(&c->results[i]);
	return sound;
}

struct computed *values_read(const struct formula *formula, void **arguments, unsigned arrays)
{
	struct computed *c =
		!arguments                            ? NULL
		: formula->family >= FAMILY_JOIN_ROWS ? joining_read(formula, arguments, arrays)
		: formula->family == FAMILY_REDUCTION ? reduction_read(formula, arguments)
											  : elementwise_read(formula, arguments);
	if (c && !sound(c)) {
		computed_free(c);
		return NULL;
	}
	return c;
}

/* Is it done in the time that a launch may take? */
static bool is_quick(const struct computed *c)
{
	enum formula_family family = c->formula.family;
	const struct view *worked = family == FAMILY_REDUCTION ? c->sources : c->results;
	bool bytes = c->assumed || c->decided ||
				 (family >= FAMILY_JOIN_ROWS   ? joining_is_quick(c)
				  : family == FAMILY_REDUCTION ? reduction_is_quick(c)
											   : elementwise_is_quick(c));
	size_t all = 0;
	for (unsigned i = 0; i < (family >= FAMILY_JOIN_ROWS ? c->n_results : 1); i++)
		all += worked[i].n * worked[i].bytes;
	return all <= (bytes ? MOST_BYTES : MOST_NUMBERS);
}

bool values_note(struct computed *c, bool now)
{
	bool known = true;
	for (unsigned i = 0; known && i < c->n_sources; i++)
		known = view_known(&c->sources[i]);
	if (!known && c->formula.family < FAMILY_RANGE)
		known = elementwise_answer(c, now);
	known = known && is_quick(c);
	for (unsigned i = 0; i < c->n_results; i++)
		view_write(&c->results[i], known);
	return known;
}

void values_run(const struct computed *c)
{
	if (c->formula.family >= FAMILY_JOIN_ROWS)
		joining_run(c);
	else if (c->formula.family == FAMILY_REDUCTION)
		reduction_run(c);
	else
		elementwise_run(c);
}
