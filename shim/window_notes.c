#include "window_notes.h"

#include "base/config.h"
#include "base/message.h"
#include "base/recording.h"
#include "drain/trace_rows.h"
#include "window.h"

#include <stdio.h>

#define SECOND_NS 1000000000

static void note_moment(const char *key, int64_t ns)
{
	char text[32];
	snprintf(text, sizeof(text), "%lld", (long long)ns);
	trace_rows_meta(key, text);
}

void window_note(void)
{
	if (recording.windowed)
		trace_rows_meta("window", recording.by_range ? "cudaProfilerApi" : "time");
}

void window_note_begin(void)
{
	int64_t begin_ns, end_ns;
	if (recording_window_times(&begin_ns, &end_ns))
		note_moment("window's begin, ns", begin_ns);
}

void window_note_end(void)
{
	int64_t begin_ns, end_ns;
	if (recording_window_times(&begin_ns, &end_ns))
		note_moment("window's end, ns", end_ns);
}

/* One process of the job speaks for all: they end at the same time, more or less. */
void window_say(void)
{
	int64_t begin_ns, end_ns;
	if (recording.identity.rank > 0 || window_is_quiet() || !recording_window_times(&begin_ns, &end_ns))
		return;
	bool is_long = end_ns - begin_ns >= SECOND_NS;
	message(
		"the window of %.1f %s is recorded; the job goes on without        next: baton report %s",
		(double)(end_ns - begin_ns) / (is_long ? 1e9 : 1e6), is_long ? "s" : "ms", config.out);
}
