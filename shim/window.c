#include "window.h"

#include "base/clock.h"
#include "base/config.h"
#include "sources/cupti/cupti.h"
#include "sources/launch/launch.h"
#include "ring/live.h"
#include "base/message.h"
#include "sources/silence/silence.h"
#include "base/wake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000

SHIM_HOT _Atomic int window_phase = WINDOW_OPEN;
_Atomic uint64_t window_begin_ticks, window_end_ticks;
SHIM_HOT _Atomic uint64_t window_until_ticks = UINT64_MAX;

static struct {
	bool asked, quiet;
	bool by_range, to_the_end;    /* cudaProfilerStart opens it; cudaProfilerStop is not heard */
	int64_t from_ns, to_ns;       /* CLOCK_MONOTONIC; to_ns 0: no end */
	int64_t for_ns;               /* by range: at most so long; 0: no limit */
	_Atomic int64_t end_mono_ns;  /* of an open window; 0: none */
	_Atomic int64_t begun, ended; /* CLOCK_REALTIME ns */
	atomic_bool ready;            /* the recording has begun: it may open */
	atomic_bool opening;
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
		window.by_range = true;
		read = read_number(&at, &window.for_ns) && *at++ == ':';
		window.to_the_end = read && strcmp(at, "none") == 0;
		read = read && (window.to_the_end || strcmp(at, "stop") == 0);
	}
	window.asked = read;
	atomic_store(&window_phase, read ? WINDOW_WAITS : WINDOW_OPEN);
}

void window_forget(void)
{
	if (!window.asked)
		return;
	atomic_store(&window.begun, 0);
	atomic_store(&window.ended, 0);
	atomic_store(&window_end_ticks, 0);
	atomic_store(&window.end_mono_ns, 0);
	atomic_store(&window_until_ticks, UINT64_MAX);
	atomic_store(&window.ready, false);
	atomic_store(&window.opening, false);
	atomic_store(&window_phase, WINDOW_WAITS);
}

bool window_asked(void)
{
	return window.asked;
}

bool window_is_quiet(void)
{
	return window.quiet;
}

bool window_by_range(void)
{
	return window.asked && window.by_range;
}

bool window_missed(void)
{
	int waits = WINDOW_WAITS;
	if (!window.asked || window.by_range || !window.to_ns || now_ns(CLOCK_MONOTONIC) < window.to_ns)
		return false;
	if (atomic_compare_exchange_strong(&window_phase, &waits, WINDOW_OVER))
		atomic_store(&launch_hooks_on, false);
	return true;
}

/* ---- it opens ---- */

/* Everything is sent from now on, if CUPTI is there. */
static void hear(void)
{
	atomic_thread_fence(memory_order_seq_cst); /* CUPTI comes up, or the window opens: one of the
												  two threads finds the other there */
	if (!cupti_attached() || atomic_load(&window_phase) != WINDOW_OPEN)
		return;
	atomic_store(&launch_hooks_on, false);
	cupti_collect(true);
	if (window_is_over())
		cupti_collect(false);
}

/* CUPTI first: of a call that finds the window open, everything is sent. Once; by any thread; not
 * before the recording has begun. */
static void open_now(void)
{
	struct clock_moment moment;
	if (atomic_exchange(&window.opening, true))
		return;
	bool collects = cupti_collect(true);
	clock_pair(&moment);
	if (!window.by_range)
		atomic_store(&window.end_mono_ns, window.to_ns);
	else if (window.for_ns)
		atomic_store(&window.end_mono_ns, moment.raw_ns + window.for_ns);
	atomic_store(&window.begun, moment.realtime_ns);
	atomic_store(&window_begin_ticks, moment.ticks);
	atomic_store(&window_phase, WINDOW_OPEN);
	if (!collects) {
		atomic_store(&launch_hooks_on, config.cuda);
		hear(); /* if it came up meanwhile */
	}
	atomic_store(&lane_started, true);
	silence_start();
	wake_writer();
}

bool window_opens(void)
{
	return window_waits() && atomic_load(&window.opening);
}

static bool is_due(void)
{
	return !window.by_range && now_ns(CLOCK_MONOTONIC) >= window.from_ns;
}

/* A recording that a launch begins is there before the driver has brought CUPTI up. */
static void tell_if_deaf(void)
{
	if (window.by_range && !cupti_attached() && (cupti_tried() || config.cuda_held || !config.cuda))
		message("without CUPTI nobody hears cudaProfilerStart: nothing is recorded");
}

void window_cupti_tried(void)
{
	if (!window.asked)
		return;
	if (atomic_load(&window.ready)) /* else window_start() does */
		tell_if_deaf();
	hear();
}

void window_start(void)
{
	if (!window.asked)
		return;
	tell_if_deaf();
	atomic_store(&launch_hooks_on, false);
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
	int64_t left = window.by_range ? SECOND_NS : window.from_ns - now_ns(CLOCK_MONOTONIC);
	return left < SECOND_NS ? left : SECOND_NS;
}

/* In the job's thread, from a callback of CUPTI's. */
void window_range_begins(void)
{
	int saved_errno, cancel_state;
	if (!window.by_range || !window_waits() || !atomic_load(&window.ready) ||
		!guard_enter(&saved_errno))
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
	atomic_store(&window_until_ticks, now->raw_ticks + (uint64_t)(left / mult));
}

static int64_t ns_of(uint64_t ticks)
{
	uint64_t mult = live->clock[atomic_load(&live->clock_now) & 1].mult;
	return (int64_t)((__extension__(unsigned __int128) ticks * mult) >> 32);
}

/* Who comes late ends it as of its time, if calls were held against that. Of several who end it the
 * first one's word counts, and others hold their calls against it at once: what time it was by
 * CLOCK_REALTIME is found out behind that. */
static void set_end(void)
{
	struct clock_moment moment;
	uint64_t until = atomic_load(&window_until_ticks), now = clock_ticks(), none = 0;
	int64_t end = atomic_load(&window.end_mono_ns), nothing = 0;
	bool late = end && until < now && end < now_ns(CLOCK_MONOTONIC);
	atomic_compare_exchange_strong(&window_end_ticks, &none, late ? until : now);
	clock_pair(&moment);
	uint64_t since = moment.ticks - atomic_load(&window_end_ticks);
	atomic_compare_exchange_strong(&window.ended, &nothing, moment.realtime_ns - ns_of(since));
}

void window_close(void)
{
	int open = WINDOW_OPEN;
	if (!window.asked || atomic_load(&window_phase) != WINDOW_OPEN)
		return;
	set_end();
	if (!atomic_compare_exchange_strong(&window_phase, &open, WINDOW_ENDS))
		return;
	atomic_store(&lane_started, false);
	atomic_store(&launch_hooks_on, false);
	wake_writer();
}

void window_range_ends(void)
{
	if (window.by_range && !window.to_the_end)
		window_close();
}

bool window_ended(void)
{
	int64_t end = atomic_load(&window.end_mono_ns);
	if (end && now_ns(CLOCK_MONOTONIC) >= end)
		window_close();
	return atomic_load(&window_phase) >= WINDOW_ENDS;
}

void window_finish(void)
{
	atomic_store(&window_phase, WINDOW_OVER);
	cupti_collect(false);
}

bool window_times(int64_t *begin_ns, int64_t *end_ns)
{
	*begin_ns = atomic_load(&window.begun);
	*end_ns = atomic_load(&window.ended);
	return *begin_ns != 0;
}
