/* For each step of a device: what the other members of its collectives waited for a process of it
 * that came last. Stored as series (summary/series.h), one for each process. */
#ifndef ATTRIBUTE_STEP_CAUSED_H
#define ATTRIBUTE_STEP_CAUSED_H

#include "attribute/step_leaves.h"

struct step_caused {
	const struct step_leaves *steps; /* not owned: how many steps, and how many of a cell */
	int64_t **ns;                    /* by feed, NULL until it has some */
	uint32_t n_feeds;
};

/* 0 or -ENOMEM; step_caused_close() either way. */
int step_caused_open(struct step_caused *caused, const struct step_leaves *steps, uint32_t n_feeds);
void step_caused_close(struct step_caused *caused);
/* 0 or -ENOMEM */
int step_caused_add(struct step_caused *caused, uint32_t feed, int32_t step, int64_t ns);
/* Adds the series of one feed to the summary, for a device and a rank. 0 or -ENOMEM. */
int step_caused_store(const struct step_caused *caused, uint32_t feed, struct summary *summary,
					  int32_t rank, const char *device);

#endif
