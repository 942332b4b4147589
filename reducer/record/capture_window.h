/* Which part of the job is recorded (--delay, --duration, --capture-range, --keep-last), and when
 * the job is ended (--duration with --kill). */
#ifndef RECORD_CAPTURE_WINDOW_H
#define RECORD_CAPTURE_WINDOW_H

#include <stddef.h>

struct invocation;

struct capture_window {
	long long delay_ns, duration_ns; /* 0: none */
	const char *range_end;           /* "stop" or "none"; NULL: no range limits it */
	int kill_signal;                 /* 0: the job is not ended early */
	long long keep_s;                /* how much of the job's end is kept; 0: all of it */
};

/* Reads the options. STATUS_OK, or STATUS_USAGE after printing the reason. */
int capture_window_plan(const struct invocation *call, struct capture_window *window);
/* `option` needs that the last part of the job is kept: two minutes, if nobody says how much.
 * STATUS_OK, or STATUS_USAGE after printing the reason. */
int capture_window_keep_some(struct capture_window *window, const char *option);
/* The value of BATON_WINDOW for a job that starts now, written to `text`; NULL: all of it is
 * recorded. */
const char *capture_window_text(const struct capture_window *window, char *text, size_t room);
/* The same of BATON_KEEP_LAST. */
const char *capture_window_kept(const struct capture_window *window, char *text, size_t room);

#endif
