/* Steps without markers, from what recurs in the sequence of kernels (docs/ATTRIBUTION.md section
 * 2). sequence.h makes it fit to look at, motif.h finds what recurs together, cycles.h where it
 * goes round; this puts steps together from cycles. Near-linear in the launches, integers only. */
#ifndef STEPS_PERIOD_H
#define STEPS_PERIOD_H

#include "steps/sequence.h"

/* `marks` are sorted by launch_ns. *begins (new memory) gets the launch times at which steps begin,
 * *n their number, 0 when no rhythm of at least PERIOD_LEAST_STEPS was found. 0 or -ENOMEM. */
int period_find(const struct launch_mark *marks, size_t n_marks, int64_t **begins, size_t *n);

#endif
