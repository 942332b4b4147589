/* Ranks that are not in a run: their numbers, and what is said of late ranks where some are missing
 * (docs/ATTRIBUTION.md section 7). */
#ifndef CONCLUDE_MISSING_H
#define CONCLUDE_MISSING_H

#include "conclude/findings.h"
#include "conclude/stragglers.h"

enum { MISSING_BYTES = 200 };

/* "64-71, 900": a few runs of numbers, and how many more there are. */
void missing_ranks(const struct run_summary *run, char text[MISSING_BYTES]);

/* The straggler is partial: who is late, and how that is known. */
void missing_say_late(const struct summary *summary, const struct figures *figures,
					  const struct straggler *straggler, struct finding *out);
/* What to try when it is one of the missing. */
extern const char missing_remedy[];

#endif
