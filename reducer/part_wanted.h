/* Which devices of a run, and which steps, are of the part that --rank, --device, --step and --time
 * ask for. */
#ifndef PART_WANTED_H
#define PART_WANTED_H

#include "summary/reduction.h"

/* Is only a part of the run asked for, of its devices or of its steps? */
bool part_is_asked(const struct reduce_options *options);
/* Puts it on the clock of the traces, leaves out what need not be read, and counts what each
 * process lost within it. 0 or -errno. */
int part_settle_time(struct run *run, struct time_span *time);
/* Says that no step is of the part, where --step or --time was given. */
void part_say_no_step(const struct reduce_options *options, const char *dir);
/* Is device i of it? */
bool part_wants(const struct run *run, size_t i, const struct reduce_options *options);
/* True, said: no device of the run is. */
bool part_is_absent(const struct run *run, const char *dir, const struct reduce_options *options);

#endif
