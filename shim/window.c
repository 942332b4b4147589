#include "window.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/wake.h"
#include "drain/trace.h"
#include "ring/live.h"
#include "sources.h"
#include "sources/cupti/cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000

static struct {
	bool quiet;
	bool to_the_end;             /* cudaProfilerStop is not heard */
	int64_t from_ns, to_ns;      /* CLOCK_MONOTONIC; to_ns 0: no end */
	int64_t for_ns;              /* by range: at most so long; 0: no limit */
	_Atomic int64_t end_mono_ns; /* of an open window; 0: none */
	atomic_bool ready;           /* the recording has begun: it may open */
} window;

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* ---- what is asked for ---- */

static bool read_number(const char **at, int64_t *n)
{
	char *end;
	*n = strtoll(*at, &end, 10);
	bool read = end != *at && *n >= 0;
	*at = end;
	return read;
}

void window_configure(const char *value)
{
	static const char time[] = "time:", range[] = "cudaProfilerApi:";
	const char *at = value;
	bool read = false;
	if (strncmp(at, time, sizeof(time) - 1) == 0) {
		at += sizeof(time) - 1;
		read = read_number(&at, &window.from_ns) && *at++ == ':' && read_number(&at, &window.to_ns);
		window.quiet = read && strcmp(at, ":quiet") == 0;
		read = read && (*at == 0 || window.quiet);
	} else if (strncmp(at, range, sizeof(range) - 1) == 0) {
		at += sizeof(range) - 1;
		recording.by_range = true;
		read = read_number(&at, &window.for_ns) && *at++ == ':';
		window.to_the_end = read && strcmp(at, "none") == 0;
		read = read && (window.to_the_end || strcmp(at, "stop") == 0);
	}
	recording.windowed = read;
	recording.by_range = recording.by_range && read;
}

void window_forget(void)
{
	if (!recording.windowed)
		return;
	atomic_store(&recording_window.begin_ns, 0);
	atomic_store(&recording_window.end_ns, 0);
	atomic_store(&recording_window.end_ticks, 0);
	atomic_store(&window.end_mono_ns, 0);
	atomic_store(&recording_window.until_ticks, UINT64_MAX);
	atomic_store(&window.ready, false);
}

bool window_missed(void)
{
	if (!recording.windowed || recording.by_range || !window.to_ns ||
		now_ns(CLOCK_MONOTONIC) < window.to_ns)
		return false;
	if (!recording_move(0, RECORDING_MISSED) &&
		!recording_move(RECORDING_ARMED, RECORDING_MISSED) &&
		!recording_move(RECORDING_BEGINS, RECORDING_MISSED))
		recording_move(RECORDING_WAITS, RECORDING_OVER);
	return true;
}

/* ---- it opens ---- */

/* Everything is sent from now on, if CUPTI is there. When it comes up while the window opens, two
 * threads come by here: both have changed recording_word before, and the later of the two changes
 * finds the other one there. */
static void hear(void)
{
	uint32_t word = atomic_load(&recording_word);
	if (!(word & RECORDING_BY_CUPTI) || !(word & RECORDING_OPEN))
		return;
	cupti_start();
	if (recording_is(RECORDING_OVER))
		cupti_stop(true);
}

/* CUPTI first: of a call that finds the window open, everything is sent. Once; by any thread; not
 * before the recording has begun. */
static void open_now(void)
{
	struct clock_moment moment;
	if (!recording_move(RECORDING_WAITS, RECORDING_OPENING))
		return;
	bool collects = cupti_start();
	clock_pair(&moment);
	if (!recording.by_range)
		atomic_store(&window.end_mono_ns, window.to_ns);
	else if (window.for_ns)
		atomic_store(&window.end_mono_ns, moment.raw_ns + window.for_ns);
	atomic_store(&recording_window.begin_ns, moment.realtime_ns);
	atomic_store(&recording_window.begin_ticks, moment.ticks);
	recording_move(RECORDING_OPENING, RECORDING_OPEN);
	if (!collects)
		hear(); /* if it came up meanwhile */
	sources_start();
	wake_writer();
}

bool window_waits(void)
{
	return recording.windowed &&
		   recording_is(RECORDING_BEGINS | RECORDING_WAITS | RECORDING_OPENING);
}

static bool is_due(void)
{
	return !recording.by_range && now_ns(CLOCK_MONOTONIC) >= window.from_ns;
}

/* A recording that a launch begins is there before the driver has brought CUPTI up. */
static void tell_if_deaf(void)
{
	if (recording.by_range && !recording_by_cupti() &&
		(cupti_tried() || config.cuda_held || !config.cuda))
		message("without CUPTI nobody hears cudaProfilerStart: nothing is recorded");
}

void window_cupti_tried(void)
{
	if (!recording.windowed)
		return;
	if (atomic_load(&window.ready)) /* else window_start() does */
		tell_if_deaf();
	hear();
}

void window_start(void)
{
	if (!recording.windowed)
		return;
	tell_if_deaf();
	if (is_due()) /* here and now: the launch that began the recording is one of the window's */
		open_now();
	atomic_store(&window.ready, true);
	wake_writer(); /* it did not know yet when */
}

int64_t window_attend(void)
{
	if (!atomic_load(&window.ready))
		return SECOND_NS;
	if (is_due())
		open_now();
	if (!window_waits())
		return 0;
	int64_t left = recording.by_range ? SECOND_NS : window.from_ns - now_ns(CLOCK_MONOTONIC);
	return left < SECOND_NS ? left : SECOND_NS;
}

/* In the job's thread, from a callback of CUPTI's. */
void window_range_begins(void)
{
	int saved_errno, cancel_state;
	if (!recording.by_range || recording_phase() != RECORDING_WAITS ||
		!atomic_load(&window.ready) || !guard_enter(&saved_errno))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	open_now();
	pthread_setcancelstate(cancel_state, NULL);
	guard_leave(saved_errno);
}

/* ---- it ends ---- */

int64_t window_until_end(int64_t ns)
{
	int64_t end = atomic_load(&window.end_mono_ns);
	int64_t left = end ? end - now_ns(CLOCK_MONOTONIC) : ns;
	return left > ns ? ns : left > 0 ? left : 0;
}

void window_expect(const struct clock_moment *now, uint64_t mult)
{
	int64_t end = atomic_load(&window.end_mono_ns);
	if (!end || !mult || end < now->raw_ns)
		return;
	__extension__ unsigned __int128 left = (unsigned __int128)(end - now->raw_ns) << 32;
	atomic_store(&recording_window.until_ticks, now->raw_ticks + (uint64_t)(left / mult));
}

static int64_t ns_of(uint64_t ticks)
{
	uint64_t mult = live->clock[atomic_load(&live->clock_now) & 1].mult;
	return (int64_t)((__extension__(unsigned __int128) ticks * mult) >> 32);
}

/* A thread that is late ends the window as of its due time, if calls were already compared with
 * that. When several threads end it the first one's time counts, and the others compare their
 * calls with it at once. What time that was by CLOCK_REALTIME is found out afterwards. */
static void set_end(void)
{
	struct clock_moment moment;
	uint64_t until = atomic_load(&recording_window.until_ticks), now = clock_ticks(), none = 0;
	int64_t end = atomic_load(&window.end_mono_ns), nothing = 0;
	bool late = end && until < now && end < now_ns(CLOCK_MONOTONIC);
	atomic_compare_exchange_strong(&recording_window.end_ticks, &none, late ? until : now);
	clock_pair(&moment);
	uint64_t since = moment.ticks - atomic_load(&recording_window.end_ticks);
	atomic_compare_exchange_strong(&recording_window.end_ns, &nothing,
								   moment.realtime_ns - ns_of(since));
}

void window_close(void)
{
	if (!recording.windowed || recording_phase() != RECORDING_OPEN)
		return;
	set_end();
	if (recording_move(RECORDING_OPEN, RECORDING_ENDING))
		wake_writer();
}

void window_range_ends(void)
{
	if (recording.by_range && !window.to_the_end)
		window_close();
}

bool window_ended(void)
{
	int64_t end = atomic_load(&window.end_mono_ns);
	if (end && now_ns(CLOCK_MONOTONIC) >= end)
		window_close();
	return recording_is(RECORDING_ENDING | RECORDING_OVER | RECORDING_MISSED);
}

/* ---- what the trace and stderr say of it ---- */

static void note_moment(const char *key, int64_t ns)
{
	char text[32];
	snprintf(text, sizeof(text), "%lld", (long long)ns);
	trace_meta(key, text);
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
	if (recording.identity.rank > 0 || window.quiet || !recording_window_times(&begin_ns, &end_ns))
		return;
	bool is_long = end_ns - begin_ns >= SECOND_NS;
	message(
		"the window of %.1f %s is recorded; the job goes on without        next: baton report %s",
		(double)(end_ns - begin_ns) / (is_long ? 1e9 : 1e6), is_long ? "s" : "ms", config.out);
}
