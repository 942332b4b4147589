/* How much of a recording a trace holds that kept its last part (docs/FORMAT.md, kept). */
#ifndef READ_KEPT_H
#define READ_KEPT_H

#include "read/process.h"

struct baton_reader;
struct baton_r_kept;

/* All 0 when `record` is (there is none), or has numbers that no recorder writes. */
struct kept_part kept_part_of(const struct baton_reader *reader, const struct baton_r_kept *record);

#endif
