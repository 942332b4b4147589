/* Transfers that are slower than the same ones of another run, and who waits for them
 * (docs/ATTRIBUTION.md section 7, "Waits in a comparison"). Pure. */
#ifndef CONCLUDE_SLOW_LINK_H
#define CONCLUDE_SLOW_LINK_H

#include "conclude/charge.h"

struct slow_link_sides { /* the run that may be slower, and the one that it is held against */
	const struct summary *slow, *other;
	const struct figures *slow_figures, *other_figures;
};

/* Adds a charge to those of the slower run, where its collectives are. 0 or -ENOMEM. */
int slow_link_charge(const struct slow_link_sides *sides, struct charges *charges);

struct slow_link_ranks { /* who spends most in transfers */
	int32_t *ranks;      /* ascending; with n == 0 all spend as much */
	size_t n;
	int32_t most; /* the one of them with most, which is in several slow communicators; else -1 */
};
/* 0 or -ENOMEM; slow_link_ranks_close() either way. */
int slow_link_ranks_open(struct slow_link_ranks *ranks, const struct summary *summary,
						 const struct figures *figures);
void slow_link_ranks_close(struct slow_link_ranks *ranks);

#endif
