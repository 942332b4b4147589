/* Cycles: the intervals in which a motif repeats, with its members in their usual order. */
#ifndef STEPS_CYCLES_H
#define STEPS_CYCLES_H

#include "steps/motif.h"

struct cycle {
	uint32_t begin; /* positions of its first and last member */
	uint32_t end;
};

struct cycles {
	struct cycle *list;
	size_t n;
	bool from_first;
	uint32_t first;     /* position of the first occurrence of a member */
	size_t places;      /* number of members that have a place in the order */
	size_t occurrences; /* number of occurrences of those members */
	size_t in_order;    /* how often an occurrence was followed by the next place in the order */
};

/* Finds the cycles of `motif`. `from_first`: each cycle begins with the place of the first
 * occurrence. Otherwise it may begin at a place nearby, before which most launches of other kernels
 * lie. 0 or -ENOMEM. */
int cycles_find(const struct recurrences *recurrences, const struct motif *motif, bool from_first,
				struct cycles *out);
void cycles_free(struct cycles *cycles);

#endif
