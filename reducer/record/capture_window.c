#include "record/capture_window.h"

#include "base/amount.h"
#include "base/diag.h"
#include "cli/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEEP_S = 120 };

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},
				   {"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcasecmp(name, signals[i].name) == 0)
			return signals[i].number;
	long number = strtol(name, NULL, 10);
	return number > 0 && number < 65 ? (int)number : 0;
}

static int read_signal(const struct invocation *call, int *number)
{
	const char *signal = option_text(call, "kill", "none");
	if (strcmp(signal, "none") == 0)
		return STATUS_OK;
	*number = signal_number(signal);
	if (*number)
		return STATUS_OK;
	diag("--kill: '%s' is not a signal", signal);
	return STATUS_USAGE;
}

static int read_seconds(const struct invocation *call, const char *option, double least,
						long long *ns)
{
	const char *text = option_text(call, option, NULL);
	char *end;
	double s = text ? strtod(text, &end) : 0;
	if (text && (*end || end == text || !(s >= least) || s > 1e9)) {
		diag("--%s wants a number of seconds, not '%s'", option, text);
		return STATUS_USAGE;
	}
	*ns = (long long)(s * 1e9);
	return STATUS_OK;
}

/* As nsys has them. "stop-shutdown" is its default, and means "stop" here: a job is ended by --kill
 * alone. */
static int read_range(const struct invocation *call, struct capture_window *window)
{
	const char *range = option_text(call, "capture-range", "none");
	const char *end = option_text(call, "capture-range-end", NULL);
	if (strcmp(range, "none") != 0 && strcmp(range, "cudaProfilerApi") != 0) {
		diag("--capture-range must be none or cudaProfilerApi, not '%s'", range);
		return STATUS_USAGE;
	}
	if (end && strcmp(range, "none") == 0) {
		diag("--capture-range-end needs -c cudaProfilerApi");
		return STATUS_USAGE;
	}
	if (end && strncmp(end, "repeat", 6) == 0) {
		diag("--capture-range-end: '%s' is not supported: a process records its first range only; "
			 "start baton again for another",
			 end);
		return STATUS_USAGE;
	}
	if (end && strcmp(end, "none") != 0 && strcmp(end, "stop") != 0 &&
		strcmp(end, "stop-shutdown") != 0) {
		diag("--capture-range-end must be none, stop or stop-shutdown, not '%s'", end);
		return STATUS_USAGE;
	}
	if (strcmp(range, "none") != 0)
		window->range_end = end && strcmp(end, "none") == 0 ? "none" : "stop";
	return STATUS_OK;
}

static int read_keep_last(const struct invocation *call, long long *seconds)
{
	const char *text = option_text(call, "keep-last", NULL);
	*seconds = text ? amount_seconds(text) : 0;
	if (!text || *seconds)
		return STATUS_OK;
	diag("--keep-last wants a time of a second to a year, such as 60s, 15m or 2h, not '%s'", text);
	return STATUS_USAGE;
}

/* The range comes from CUPTI's callbacks; when it begins is known to the job alone. */
static int check(const struct invocation *call, const struct capture_window *window)
{
	const char *trace = option_text(call, "trace", "cuda");
	if (window->kill_signal && !window->duration_ns) {
		diag("--kill needs --duration, which says when to end the job");
		return STATUS_USAGE;
	}
	if (window->range_end && (window->kill_signal || window->delay_ns)) {
		diag("%s cannot be used with -c: there the job starts the recording",
			 window->kill_signal ? "--kill" : "--delay");
		return STATUS_USAGE;
	}
	const bool keeps = window->keep_s || getenv("BATON_KEEP_LAST");
	if (keeps && (window->range_end || window->delay_ns || window->duration_ns)) {
		diag(
			"%s cannot be used with --delay, --duration or -c: they choose another part of the job",
			window->keep_s ? "--keep-last" : "BATON_KEEP_LAST");
		return STATUS_USAGE;
	}
	if ((window->range_end || window->delay_ns || window->duration_ns) && !strstr(trace, "cuda")) {
		diag("--trace %s: to record a part of a job, the list must have cuda", trace);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

int capture_window_plan(const struct invocation *call, struct capture_window *window)
{
	*window = (struct capture_window){0};
	int status = read_signal(call, &window->kill_signal);
	if (!status)
		status = read_seconds(call, "delay", 0, &window->delay_ns);
	if (!status)
		status = read_seconds(call, "duration", 1e-3, &window->duration_ns);
	if (!status)
		status = read_range(call, window);
	if (!status)
		status = read_keep_last(call, &window->keep_s);
	return status ? status : check(call, window);
}

int capture_window_keep_some(struct capture_window *window, const char *option)
{
	const char *kept = getenv("BATON_KEEP_LAST");
	if (window->range_end || window->delay_ns || window->duration_ns) {
		diag("%s covers the whole job: it cannot be used with --delay, --duration or -c", option);
		return STATUS_USAGE;
	}
	if (!window->keep_s && kept)
		window->keep_s = amount_seconds(kept);
	if (!window->keep_s)
		window->keep_s = KEEP_S;
	return STATUS_OK;
}

/* With --kill the recording ends first, so that all of it is on disk; the recorder need not say so.
 */
const char *capture_window_text(const struct capture_window *window, char *text, size_t room)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	long long from = t.tv_sec * 1000000000LL + t.tv_nsec + window->delay_ns;
	if (window->range_end)
		snprintf(text, room, "cudaProfilerApi:%lld:%s", window->duration_ns, window->range_end);
	else if (window->delay_ns || window->duration_ns)
		snprintf(text, room, "time:%lld:%lld%s", from,
				 window->duration_ns ? from + window->duration_ns : 0,
				 window->kill_signal ? ":quiet" : "");
	else
		return NULL;
	return text;
}

const char *capture_window_kept(const struct capture_window *window, char *text, size_t room)
{
	snprintf(text, room, "%lld", window->keep_s);
	return window->keep_s ? text : NULL;
}
