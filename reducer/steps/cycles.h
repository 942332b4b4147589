/* Cycles: where the voices of a choir go round, each in its place of the order. */
#ifndef STEPS_CYCLES_H
#define STEPS_CYCLES_H

#include "steps/voices.h"

struct cycle {
	uint32_t begin; /* positions of its first and its last member */
	uint32_t end;
};

struct cycles {
	struct cycle *list;
	size_t n;
	bool as_sung;
	uint32_t first;  /* position of the first note */
	size_t places;   /* members with a place in the order */
	size_t sung;     /* how often they occur */
	size_t in_order; /* how often the next one followed directly */
};

/* `as_sung`: a cycle begins with what comes first of all, whatever else there is between.
 * 0 or -ENOMEM. */
int cycles_find(const struct voices *voices, const struct choir *choir, bool as_sung,
				struct cycles *out);
void cycles_free(struct cycles *cycles);

#endif
