/* --keep-last: the trace file holds the last part of the job alone. At moments that are the same in
 * all processes of all hosts (multiples of the time on CLOCK_REALTIME) what was written before the
 * moment before is left out: the names, a `kept` record and the rest go into a second file beside
 * it, a piece in each round, which then takes the trace's name. So the file holds between once and
 * twice the time, and who reads it, or kills the process, always finds a whole one. Of the writer
 * thread. */
#ifndef SHIM_KEEP_H
#define SHIM_KEEP_H

#include <stdbool.h>
#include <stdint.h>

struct baton_drain;

void keep_open(void);
/* A moment has come, or another piece of a copy's begin: what there is has to be written now. */
bool keep_due(void);
/* Everything so far is in the file, and nothing is held. */
void keep_written(const struct baton_drain *drain);
/* After each round: a piece of what is to be copied. */
void keep_turn(const struct baton_drain *drain);
/* Nothing is copied any more; the file stays as it is. */
void keep_close(void);

#endif
