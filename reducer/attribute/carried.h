/* Which leaves a trace can carry, by what wrote it (docs/ATTRIBUTION.md section 6). */
#ifndef ATTRIBUTE_CARRIED_H
#define ATTRIBUTE_CARRIED_H

#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

/* A bit for each leaf, LEAF_BIT(). */
uint64_t carried_leaves(enum source_kind source, bool has_ranges);

#endif
