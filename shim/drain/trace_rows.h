/* What lies between the rings and the trace file: slots out of the lanes, records out of CUPTI's
 * buffers and the dictionary become rows, held until they are written; only then do they leave the
 * rings. Of the writer thread. */
#ifndef SHIM_TRACE_ROWS_H
#define SHIM_TRACE_ROWS_H

#include <baton/format.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct baton_drain;

/* The live file, the trace file and the dictionary are open. 0 or -errno. */
int trace_rows_open(void);
void trace_rows_close(void);
/* Takes what has come in; returns how much that was (a buffer of CUPTI's: 1,000). */
uint64_t trace_rows_round(void);
/* All rows so far as blocks, a checkpoint at the end, one write. A full disk: the rings keep what
 * they have (and drop, counted, what finds no room); what is held is tried again a second later. */
void trace_rows_write(void);
/* More than half of a lane is not written yet. */
bool trace_rows_half_full(void);
/* The last write found no room. */
bool trace_rows_failing(void);

/* A record of the writer thread's own (a device, a stream, a loss), after all strings that there
 * are so far. */
void trace_rows_record(uint16_t type, void *record, size_t bytes);
void trace_rows_meta(const char *key, const char *value);
/* Nothing when `count` is 0. */
void trace_rows_loss(enum baton_loss_kind kind, const char *what, uint64_t count);

/* Waits a moment for what is about to be in the dictionary; what is unfinished then stays so. */
void trace_rows_settle(void);
/* Ranges that nobody closed end here. */
void trace_rows_unclosed(uint64_t end_ticks);
/* The end of the file. True when all there was is in it. */
bool trace_rows_seal(void);

/* What has been counted so far. */
struct baton_drain *trace_rows_drain(void);

#endif
