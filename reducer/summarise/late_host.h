/* A host whose ranks the others wait for, when none of them is late by itself often enough: now
 * one is the last, now another (docs/ATTRIBUTION.md section 7). */
#ifndef SUMMARISE_LATE_HOST_H
#define SUMMARISE_LATE_HOST_H

#include "summarise/stragglers.h"

/* Fills `s` but for what its own time is. *found: there is one. 0 or -ENOMEM. */
int late_host_find(const struct summary *summary, int64_t wait_ns, struct straggler *s,
				   bool *found);

#endif
