/* Losses that a few steps have, and the others not (docs/ATTRIBUTION.md section 7). Pure: a summary
 * in, numbers out. */
#ifndef CONCLUDE_RARE_H
#define CONCLUDE_RARE_H

#include "summary/summary.h"

#include <stdbool.h>

enum { RARE_FEW = 3 }; /* a third of the steps are few */

struct rare_part { /* steps and what they have of the loss */
	__int128 steps, ns;
};

struct rare {
	uint64_t in;      /* steps of the device named that have it; 0: the loss is not rare */
	int64_t of;       /* its steps */
	int64_t ns;       /* in those that have it, together */
	int64_t worst_ns; /* the step with most */
	int64_t worst_step;
	size_t device;    /* of summary->devices: the one with the worst step of all */
	uint32_t devices; /* how many have such steps */
};

/* Do so few of the steps have so much more than the others? */
bool rare_is(const struct rare_part *part, const struct rare_part *all);
/* The rows of a device in a sorted summary: [*from, what is returned), by leaf. */
size_t spreads_of(const struct summary *summary, uint32_t device, size_t *from);
/* Adds a row to what others have together. */
void spread_add(struct spread *sum, const struct spread *row);

/* Of the leaf of `leaves` with most time, on one device (a key) or, with 0, on all. */
void rare_find(const struct summary *summary, uint64_t leaves, uint32_t device, struct rare *out);

#endif
