/* What the scans of a run's devices tell those of other parts of it: the collectives and the members
 * of communicators, as rows of a summary (docs/FORMAT.md section 6, `comm` and `meeting`). */
#ifndef ATTRIBUTE_MEETINGS_H
#define ATTRIBUTE_MEETINGS_H

#include "attribute/collectives.h"
#include "read/run.h"
#include "summary/summary.h"

/* Adds the rows of all collectives of this table, which is not settled yet. 0 or -ENOMEM. */
int meetings_store(const struct collectives *c, const struct run *run, struct summary *summary);
/* Fills an empty table from such rows, of this run and of others merged with it. 0 or -ENOMEM. */
int meetings_load(struct collectives *c, const struct run *run, const struct summary *summary);

#endif
