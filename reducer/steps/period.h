/* Steps without markers, by periodicity: from what recurs in the sequence of kernels
 * (docs/ATTRIBUTION.md section 2). sequence.h prepares the sequence, motif.h finds the kernels that
 * recur together, cycles.h finds the cycles of such a motif, and this module makes steps of cycles.
 * The time is nearly linear in the number of launches. Only integers are used. */
#ifndef STEPS_PERIOD_H
#define STEPS_PERIOD_H

#include "steps/sequence.h"

/* *begins (new memory): the launch times at which steps begin, and then when the last one ends; *n:
 * the number of steps, 0 when no periodicity of at least PERIOD_LEAST_STEPS steps was found. `marks` must be sorted by launch_ns.
 * 0 or -ENOMEM. */
int period_find(const struct launch_mark *marks, size_t n_marks, int64_t **begins, size_t *n);

/* Its two halves. *places (new memory): the marks with which steps begin, and then the one that ends
 * the last step; they depend on the order of the symbols alone. period_begins() makes launch times
 * of them. 0 or -ENOMEM. */
int period_places(const struct launch_mark *marks, size_t n_marks, uint32_t **places, size_t *n);
int period_begins(const struct launch_mark *marks, const uint32_t *places, size_t n_places,
				  int64_t **begins, size_t *n);

#endif
