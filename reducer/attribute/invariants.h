/* What is so of every device if the attribution is right, whatever its trace: predicates for
 * HOLDS() (base/holds.h). They cost as much as what they test. */
#ifndef ATTRIBUTE_INVARIANTS_H
#define ATTRIBUTE_INVARIANTS_H

#include "attribute/device.h"
#include "attribute/step_leaves.h"

/* Markers begin one after another, and the counted ones are numbered 0, 1, 2 ... */
bool steps_in_order(const struct steps *steps);
/* The windows of the steps follow each other and together are the device's window. */
bool windows_tile(const struct device_scan *scan);
/* The pieces lie in the gap, none on another, and leave nothing of it out. */
bool pieces_fill(const struct pieces *pieces, const struct gap *gap);
/* Each leaf that is counted by step has as much time in all steps as in the window. */
bool step_leaves_add_up(const struct step_leaves *leaves, const int64_t time_ns[LEAF_COUNT]);

#endif
