/* Two causes that pay only together are one finding, and it says so. */
#ifndef CONCLUDE_FINDING_JOINT_H
#define CONCLUDE_FINDING_JOINT_H

#include "conclude/finding.h"

/* "rank 2 together with rank 1": whose the causes are, where all of what a rank's cure wins is of a pair. Else
 * false. */
bool finding_joint_ranks(const struct summary *summary, const struct straggler *straggler,
						 char *out, size_t bytes);

/* Says what else must be cured for the gain of a finding to come true, and fills out->joint. Nothing
 * where the finding's causes pay alone. */
void finding_say_joint(const struct finding_source *source, struct finding *out);

#endif
