/* What lies between the rings and the trace file: slots out of the lanes, records out of CUPTI's
 * buffers and the dictionary become rows, held until they are written; only then do they leave the
 * rings. baton_drain_slot() (baton/drain.h) makes the row of a slot, gpu_rows.h that of a record.
 * Of the writer thread. */
#ifndef SHIM_TRACE_ROWS_H
#define SHIM_TRACE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct baton_drain;

/* The live file, the trace file and the dictionary are open. 0 or -errno. */
int trace_rows_open(void);
void trace_rows_close(void);
/* A new reading of the clocks, for all slots that are taken from now on. How many ns a tick has,
 * times 2^32; 0: that is not known well yet. */
struct clock_moment;
uint64_t trace_rows_read_clock(struct clock_moment *moment);
/* Takes what has come in; returns how much that was (a buffer of CUPTI's: 1,000). */
uint64_t trace_rows_round(void);
/* All rows so far as blocks, a checkpoint at the end, one write. A full disk: the rings keep what
 * they have (and drop, counted, what finds no room); what is held is tried again a second later. */
void trace_rows_write(void);
/* What the rings had no room for so far. trace_rows_write() tells it too. */
void trace_rows_tell_losses(void);
/* A full disk keeps slots in the rings, which are not taken yet. */
bool trace_rows_left(void);
/* More than half of a lane is not written yet. */
bool trace_rows_half_full(void);
/* Ranges that the program has not closed end here. */
void trace_rows_unclosed(uint64_t end_ticks);
/* The end of the file. True when all there was is in it. */
bool trace_rows_seal(void);

/* What has been counted so far. */
struct baton_drain *trace_rows_drain(void);

#endif
