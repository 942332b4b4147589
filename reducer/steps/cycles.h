/* Cycles: where a motif repeats, each of its members in its place of the order. */
#ifndef STEPS_CYCLES_H
#define STEPS_CYCLES_H

#include "steps/motif.h"

struct cycle {
	uint32_t begin; /* positions of its first and its last member */
	uint32_t end;
};

struct cycles {
	struct cycle *list;
	size_t n;
	bool from_first;
	uint32_t first;     /* position of the first occurrence */
	size_t places;      /* members with a place in the order */
	size_t occurrences; /* how often they occur */
	size_t in_order;    /* how often the next one followed directly */
};

/* `from_first`: a cycle begins with what comes first of all, whatever else there is between.
 * 0 or -ENOMEM. */
int cycles_find(const struct recurrences *recurrences, const struct motif *motif, bool from_first,
				struct cycles *out);
void cycles_free(struct cycles *cycles);

#endif
