/* A host that takes longer for the same work at some times than at most: what a finding says of it.
 */
#ifndef CONCLUDE_FINDING_UNSTEADY_H
#define CONCLUDE_FINDING_UNSTEADY_H

#include "conclude/finding.h"

/* Says so where the finding's gain is that of a steady host. */
void finding_say_unsteady(const struct finding_source *m, struct finding *out);

#endif
