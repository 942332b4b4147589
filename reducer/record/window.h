/* Which part of the job is recorded (--delay, --duration, --capture-range), and when the job is
 * ended (--duration with --kill). */
#ifndef RECORD_WINDOW_H
#define RECORD_WINDOW_H

#include <stddef.h>

struct invocation;

struct window {
	long long delay_ns, duration_ns; /* 0: none */
	const char *range_end;           /* "stop" or "none"; NULL: not by a range */
	int kill_signal;                 /* 0: the job is not ended */
};

/* STATUS_OK, or STATUS_USAGE (told). */
int window_plan(const struct invocation *call, struct window *window);
/* BATON_WINDOW for a job that starts now; NULL: all of it is recorded. */
const char *window_text(const struct window *window, char *text, size_t room);

#endif
