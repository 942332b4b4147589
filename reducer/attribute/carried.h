/* Which leaves a kind of source can carry (docs/ATTRIBUTION.md section 6). */
#ifndef ATTRIBUTE_CARRIED_H
#define ATTRIBUTE_CARRIED_H

#include "summary/leaf.h"

#include <stdbool.h>

/* LEAF_BITs for a trace of `source` ("kineto", "nsys", ...) with or without ranges of the host. */
uint64_t carried_leaves(const char *source, bool has_ranges);

#endif
