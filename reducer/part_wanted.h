/* Which devices of a run are of the part that --rank and --device ask for. */
#ifndef PART_WANTED_H
#define PART_WANTED_H

#include "summary/reduction.h"

/* Is only a part of the run asked for, of its devices or of its steps? */
bool part_is_asked(const struct reduce_options *options);
/* Is device i of it? */
bool part_wants(const struct run *run, size_t i, const struct reduce_options *options);
/* True, said: no device of the run is. */
bool part_is_absent(const struct run *run, const char *dir, const struct reduce_options *options);

#endif
