/* A recording of a part of its job: it waits, opens, ends and is over, once in a process. It opens
 * and ends at instants of CLOCK_MONOTONIC, the same for all processes of a host, or with
 * cudaProfilerStart and cudaProfilerStop. Outside of it CUPTI is told to send nothing and no hook
 * records. Without BATON_WINDOW there is none: the recording is open until the process ends. Where
 * it stands is in recording.h. */
#ifndef SHIM_WINDOW_H
#define SHIM_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* BATON_WINDOW, as docs/RECORD.md has it. Not understood: there is no window. */
void window_configure(const char *value);
/* In a forked child: its own begins anew. */
void window_forget(void);
/* True: the window ended before this process began to record, so that nothing is. */
bool window_missed(void);

/* The recording has begun: opens the window, or leaves it to the writer thread or to
 * cudaProfilerStart. */
void window_start(void);
/* CUPTI has been tried: perhaps inside the launch that began the recording, in an open window. */
void window_cupti_tried(void);
/* Has it not opened yet? */
bool window_waits(void);
/* Opens a window that waits for its time, once that has come; how long to wait for it. By the
 * writer thread. */
int64_t window_attend(void);
struct clock_moment;
/* Sets when calls are late (recording_window.until_ticks); `mult` as in struct baton_clock_map. */
void window_expect(const struct clock_moment *now, uint64_t mult);
/* Ends an open window when its time is over. True: it has ended. */
bool window_ended(void);
/* `ns`, or less when the window ends before. */
int64_t window_until_end(int64_t ns);
void window_close(void);

/* cudaProfilerStart has returned; cudaProfilerStop is about to begin. */
void window_range_begins(void);
void window_range_ends(void);

/* For the trace, by the writer thread: when it opened, if it did, and when it ended. */
void window_note_begin(void);
void window_note_end(void);
/* The trace is closed and the process goes on: a line on stderr. */
void window_say(void);

#endif
