#include "writer.h"

#include "base/clock.h"
#include "base/message.h"
#include "base/own.h"
#include "base/recording.h"
#include "base/wake.h"
#include "drain/cost.h"
#include "drain/due.h"
#include "drain/gpu_rows.h"
#include "drain/keep.h"
#include "drain/places.h"
#include "drain/shapes.h"
#include "drain/trace.h"
#include "drain/trace_rows.h"
#include "ring/buffers.h"
#include "ring/live.h"
#include "sources.h"
#include "sources/cupti/cupti.h"
#include "sources/cupti/cupti_guest.h"
#include "sources/cupti/cupti_window.h"
#include "window.h"

#include <baton/drain.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000
#define EARLY_NS (50 * 1000000)
#define IDLE_NS (10 * 1000000) /* a ring of 16 Ki slots holds 1.6 M launches a second */
#define BUSY_NS (500 * 1000)
#define STOP_SECONDS 10

static int64_t asked_ns, first_ns; /* when CUPTI was asked last; the first launch, 0: none yet */
static bool forced;                /* CUPTI was made to show what is unfinished */
static _Atomic uint32_t stopping, finished;

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* ---- the thread ---- */

/* Launches whose kernel never came; other work is known to be in flight only when CUPTI shows it
 * unfinished, or when it is missing at the end of a window. */
static void add_in_flight(const struct baton_drain *drain)
{
	struct due rest = due(drain);
	uint64_t others = gpu_rows_counts().incomplete;
	if (recording_is(RECORDING_OVER))
		trace_loss(BATON_LOSS_IN_FLIGHT, "calls that had not returned", rest.calls);
	if (!live->gpu_recorded)
		return;
	if (recording_is(RECORDING_OVER))
		others = due_others(&rest, others, forced);
	trace_loss(BATON_LOSS_IN_FLIGHT, "kernels", rest.kernels);
	trace_loss(BATON_LOSS_IN_FLIGHT, "copies, memsets and nodes of graphs", others);
	trace_loss(BATON_LOSS_DROPPED, "collectives without their kernel",
			   drain->collectives - drain->joined);
}

static uint64_t take_round(void)
{
	struct clock_moment now;
	uint64_t mult = trace_rows_read_clock(&now);
	window_expect(&now, mult);
	return trace_rows_round();
}

static void force(bool all)
{
	forced = all;
	cupti_flush(all);
	take_round();
	take_round();
	gpu_rows_take_dropped();
}

/* CUPTI delivers on threads of its own: what has just ended may take a moment to come. A buffer
 * that is asked for while something in it runs comes without that for good: only at last. */
static void take_the_rest(void)
{
	const struct baton_drain *drain = trace_rows_drain();
	for (int tries = 0; tries < 50; tries++) {
		cupti_flush(false);
		take_round();
		if (!live->gpu_recorded || drain->launches <= drain->kernels + gpu_rows_counts().lost)
			break;
		usleep(2000);
	}
	force(true);
}

/* The process goes on after its recording's window. Calls and GPU work of the window may take long
 * to come in. */
static void take_window(void)
{
	int64_t begin = monotonic_ns(), newest = begin, now = begin;
	while (!atomic_load(&stopping) && now - begin < (int64_t)STOP_SECONDS * SECOND_NS) {
		uint64_t ops = gpu_rows_counts().ops;
		bool here = cupti_window_inside() == 0; /* before the slots are taken */
		cupti_flush(false);
		take_round();
		now = monotonic_ns();
		newest = gpu_rows_counts().ops > ops ? now : newest;
		if (here && (!live->gpu_recorded || due_is_here(trace_rows_drain(), now - newest)))
			break;
		wake_clear();
		wake_wait(2 * IDLE_NS);
	}
}

/* Work that is unfinished after a window is counted. CUPTI is not made to show it while
 * torch.profiler records: that would get its own work unfinished too. */
static void take_all(bool goes_on)
{
	if (goes_on)
		take_window();
	if (atomic_load(&stopping))
		take_the_rest();
	else
		force(!cupti_guest_records());
	if (!goes_on)
		return;
	sources_stop(true);
	take_round();
}

/* The window is over, the process is not. */
static void let_go(void)
{
	live_release_rings();
	buffers_release();
	trace_rows_close();
}

static void finish(void)
{
	struct baton_drain *drain = trace_rows_drain();
	bool goes_on = !atomic_load(&stopping);
	if (trace_error()) /* there may be room again */
		trace_rows_write();
	window_close();
	if (goes_on)
		gpu_rows_window_over();
	take_all(goes_on);
	trace_settle();
	trace_rows_unclosed(recording.windowed ? atomic_load(&recording_window.end_ticks)
										   : clock_ticks());
	trace_rows_tell_losses(); /* now all that was launched is known */
	drain->launches += atomic_load(&live->unheard_launches);
	trace_loss(BATON_LOSS_DROPPED, "GPU records", due_lost(drain));
	trace_loss(BATON_LOSS_DROPPED, "shapes of launches", shapes_lost());
	trace_loss(BATON_LOSS_DROPPED, "names and stacks", atomic_load(&live->dropped_strings));
	trace_loss(BATON_LOSS_DROPPED, "launches of threads without a ring",
			   atomic_load(&live->unheard_launches));
	add_in_flight(drain);
	cost_tell(drain->calls);
	window_note_end();
	trace_rows_write();
	atomic_store(&live->losses_told, !trace_error());
	bool whole = trace_rows_seal();
	if (whole)
		live_remove(); /* else the salvage gets what is left in the rings */
	if (whole && goes_on && !atomic_load(&stopping)) {
		let_go();
		window_say();
	}
}

/* A window that waits for its time, or for cudaProfilerStart. */
static void await_window(void)
{
	for (;;) {
		wake_clear(); /* who wakes us from now on has said why before */
		if (atomic_load(&stopping) || !window_waits())
			return;
		int64_t left_ns = window_attend();
		if (left_ns > 0)
			wake_wait(left_ns);
	}
}

/* CUPTI is asked for what it has, and the file written, once a second; 50, 100, 200, 400 and 800 ms
 * after the first launch too: a job that ends young, by a signal, leaves something. */
static bool is_due(int64_t now)
{
	if (!first_ns && trace_rows_drain()->launches)
		first_ns = asked_ns = now;
	int64_t pause = first_ns ? asked_ns - first_ns : SECOND_NS;
	pause = pause < EARLY_NS ? EARLY_NS : pause < SECOND_NS ? pause : SECOND_NS;
	if (now - asked_ns < pause)
		return false;
	asked_ns = now;
	return true;
}

static void run(void)
{
	await_window();
	window_note_begin();
	asked_ns = monotonic_ns();
	while (!atomic_load(&stopping) && !window_ended()) {
		wake_clear();
		uint64_t n = take_round();
		bool due = is_due(monotonic_ns()), in_a_hurry = wake_in_a_hurry();
		due |= keep_due();
		keep_turn(trace_rows_drain());
		if (due) {
			cupti_flush(false);
			n += take_round(); /* what it gave is in the file before the job can die of the
										rest */
		}
		if (due || (!trace_error() && (in_a_hurry || trace_rows_half_full())))
			trace_rows_write();
		wake_wait(window_until_end(n > 4096 ? BUSY_NS : IDLE_NS));
	}
	finish();
	atomic_store(&finished, 1);
	wake_word(&finished);
}

int writer_start(void)
{
	asked_ns = first_ns = 0;
	forced = false;
	places_forget();
	shapes_forget();
	atomic_store(&stopping, 0);
	atomic_store(&finished, 0);
	int error = trace_rows_open();
	if (!error)
		error = own_thread_start("baton-writer", run, false);
	if (error)
		trace_rows_close();
	return error;
}

void writer_stop(void)
{
	int64_t deadline = monotonic_ns() + (int64_t)STOP_SECONDS * SECOND_NS;
	atomic_store(&stopping, 1);
	wake_writer();
	while (!atomic_load(&finished) && monotonic_ns() < deadline)
		wake_word_wait(&finished, 0, 100 * 1000000);
	if (!atomic_load(&finished))
		message("the last records of process %d took longer than %d s to write; the rings have the "
				"rest",
				(int)recording.identity.pid, STOP_SECONDS);
}
