/* The words of `uneven`: a device that works or copies longer than the others, or two devices
 * between which copies are slower. */
#ifndef CONCLUDE_FINDING_UNEVEN_H
#define CONCLUDE_FINDING_UNEVEN_H

#include "conclude/finding.h"
#include "conclude/uneven.h"

/* Fills summary, evidence and remedy. */
void finding_say_uneven(const struct finding_source *m, const struct uneven *row,
						struct finding *finding);
/* Of a row of a pair, where its device is late or has more copies than the others: the pair may be
 * why, so those of the n findings that name the device say what its copies are like. */
void finding_say_pair_there(const struct finding_source *m, const struct uneven *row,
							struct finding *at, size_t n);

#endif
