/* Leaves as people type them: whole names or their beginnings, and what was meant by a mistyped
 * one.
 */
#ifndef SUMMARY_LEAF_NAMES_H
#define SUMMARY_LEAF_NAMES_H

#include "summary/leaf.h"

/* All names in one literal, a space after each. */
#define LEAF_NAME_TEXT(id, name, label) name " "
#define LEAF_NAMES LEAVES(LEAF_NAME_TEXT)

/* The leaves (LEAF_BIT) that `prefix` names: one, or all under "idle" or "idle.host"; 0: none. A
 * dot at its end changes nothing. */
uint64_t leaf_names_under(const char *prefix);
/* The name most like `typed`, of those of `leaves`. */
const char *leaf_names_nearest(const char *typed, uint64_t leaves);

#endif
