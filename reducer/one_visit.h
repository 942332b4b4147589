/* Most runs need one visit to each device: their recorder wrote a row for each collective, so all that
 * devices have to know of each other is known before. */
#ifndef ONE_VISIT_H
#define ONE_VISIT_H

#include "visits.h"

/* Has each device a process of its own? (Without memory: no.) */
bool one_visit_pairs(const struct run *run);
/* May it be tried? */
bool one_visit_fits(const struct work *work);
/* Scans and attributes all devices. *told: the collectives are in their table, and settled; *done:
 * the result stands. Else it is taken back, and what is left is to be done as usual. 0 or -errno. */
int one_visit(struct work *work, struct device_context *context, bool *told, bool *done);

#endif
