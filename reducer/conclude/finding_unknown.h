/* What is said of idle time that the trace does not explain: why it does not, and how to find out. */
#ifndef CONCLUDE_FINDING_UNKNOWN_H
#define CONCLUDE_FINDING_UNKNOWN_H

#include "conclude/finding.h"

/* Fills the summary, the remedy and the evidence of a finding `unknown`. */
void finding_say_unknown(const struct finding_source *source, struct finding *out);

#endif
