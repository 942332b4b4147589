/* The words of `uneven`: a device that works or copies longer than the others, or two devices
 * between which copies are slower. */
#ifndef CONCLUDE_FINDING_UNEVEN_H
#define CONCLUDE_FINDING_UNEVEN_H

#include "conclude/finding.h"
#include "conclude/uneven.h"

/* Fills summary, evidence and remedy. */
void finding_say_uneven(const struct finding_source *m, const struct uneven *row,
						struct finding *finding);
/* Of a row of a pair: what its copies are like, as one sentence behind others. */
void finding_say_pair(const struct finding_source *m, const struct uneven *row, char *out,
					  size_t bytes);

#endif
