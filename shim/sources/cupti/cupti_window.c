#include "sources/cupti/cupti_window.h"

#include "base/recording.h"
#include "sources/cupti/cupti_calls.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_read.h"

#include <string.h>

/* CUPTI numbers a call as it begins, before it calls us. At both edges of the window some threads
 * are between the two, so that the numbers of recorded calls and of others mix, but only so far:
 *   At the begin, let N be the least number of a call that was its thread's second in the window.
 *   From N on every number is a recorded call's. Before N only each thread's first call in the
 *   window is recorded.
 *   At the end, let N be the least number of a call that was its thread's second after the window.
 *   From N on nothing is recorded. Before N all is but each thread's first call after it.
 * Both are noted as the call begins, before there is a record of its work. */
enum { EDGE_THREADS = 1024 }; /* more at once: the work of the others' first calls is missing */

struct edge {
	_Atomic uint32_t n;
	_Atomic uint32_t first[EDGE_THREADS];
	_Atomic uint64_t sure; /* 1 << 32 | the least second; 0: there is none yet */
};

static struct edge begin, end;
static SHIM_TLS uint32_t entered;      /* the newest call of this thread in the window */
static SHIM_TLS uint8_t inside, after; /* calls in it, after it: 0, 1, 2 or more */

/* Recorded calls in progress: a place for each thread, which it alone writes; the last place for
 * all that come too late. */
enum { PLACES = 256 };
static struct {
	_Alignas(64) _Atomic int n;
} in_progress[PLACES];
static _Atomic unsigned threads;
static SHIM_TLS unsigned my_place; /* 1 and up */

static inline void count(int change)
{
	if (SHIM_UNLIKELY(!my_place)) {
		unsigned place = atomic_fetch_add(&threads, 1);
		my_place = place < PLACES ? place + 1 : PLACES;
	}
	_Atomic int *n = &in_progress[my_place - 1].n;
	if (SHIM_LIKELY(my_place < PLACES))
		atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + change,
							  memory_order_release);
	else
		atomic_fetch_add(n, change);
}

unsigned cupti_window_inside(void)
{
	int n = 0;
	for (int i = 0; i < PLACES; i++)
		n += atomic_load_explicit(&in_progress[i].n, memory_order_acquire);
	return n > 0 ? (unsigned)n : 0;
}

void cupti_window_forget(void)
{
	memset(in_progress, 0, sizeof(in_progress));
	memset(&begin, 0, sizeof(begin));
	memset(&end, 0, sizeof(end));
	inside = after = 0;
}

static bool before(uint32_t a, uint32_t b) /* numbers wrap around */
{
	return (int32_t)(a - b) < 0;
}

static void note_first(struct edge *edge, uint32_t correlation)
{
	uint32_t n = atomic_fetch_add(&edge->n, 1);
	if (n < EDGE_THREADS)
		atomic_store(&edge->first[n], correlation);
}

static void note_second(struct edge *edge, uint32_t correlation)
{
	uint64_t sure = atomic_load(&edge->sure);
	while ((!sure || before(correlation, (uint32_t)sure)) &&
		   !atomic_compare_exchange_weak(&edge->sure, &sure, 1ull << 32 | correlation))
		;
}

static bool is_first(const struct edge *edge, uint32_t correlation)
{
	uint32_t n = atomic_load(&edge->n);
	for (uint32_t i = 0; i < n && i < EDGE_THREADS; i++)
		if (atomic_load(&edge->first[i]) == correlation)
			return true;
	return false;
}

static bool is_sure(const struct edge *edge, uint32_t correlation)
{
	uint64_t sure = atomic_load(&edge->sure);
	return sure && !before(correlation, (uint32_t)sure);
}

/* A call that was made inside another has the other's number, or a newer one of its own; an older
 * one is that of a call around it that began before. */
static void note_inside(uint32_t correlation)
{
	if (inside == 0) {
		note_first(&begin, correlation);
		entered = correlation;
		inside = 1;
	} else if (before(correlation, entered)) {
		note_first(&begin, correlation);
	} else if (correlation != entered) {
		note_second(&begin, correlation);
		inside = 2;
	}
}

static SHIM_TLS uint32_t left; /* the first call of this thread after the window */

static void note_after(uint32_t correlation)
{
	if (inside && !before(entered, correlation))
		return; /* of a call that began in the window */
	if (after == 0) {
		note_first(&end, correlation);
		left = correlation;
		after = 1;
	} else if (correlation != left) {
		note_second(&end, correlation);
		after = 2;
	}
}

/* A time at which the window was open; 0: of a call that another makes. */
static bool is_inside(uint64_t begin_ticks)
{
	uint64_t end_ticks = atomic_load(&recording_window.end_ticks);
	return begin_ticks < atomic_load(&recording_window.until_ticks) &&
		   (!end_ticks || begin_ticks <= end_ticks);
}

/* It is in progress before it has its time: who ends the window waits for it, though this thread
 * loses its core in between; and the window may end before it has its time. */
static void on_enter(void *user, int domain, uint32_t id, const struct cupti_call *call)
{
	if (SHIM_LIKELY(recording_phase() == RECORDING_OPEN)) {
		count(1);
		cupti_on_event(user, domain, id, call); /* takes the time */
		if (SHIM_LIKELY(is_inside(*call->data))) {
			if (SHIM_UNLIKELY(inside < 2))
				note_inside(call->correlation);
			if (before(entered, call->correlation))
				entered = call->correlation;
			if (!*call->data)
				count(-1);
			return;
		}
		count(-1);
		recording.above->window_close();
	}
	if (recording_phase() == RECORDING_ENDING && after < 2)
		note_after(call->correlation);
	*call->data = 0;
}

/* The window opens when the call is over and ends before it begins: neither is part of it. */
static bool is_range_call(int domain, uint32_t id, int site)
{
	bool runtime = domain == CUPTI_DOMAIN_RUNTIME;
	bool starts =
		id == (runtime ? CUPTI_RANGE_cudaProfilerStart_v4000 : CUPTI_RANGE_cuProfilerStart);
	bool stops = id == (runtime ? CUPTI_RANGE_cudaProfilerStop_v4000 : CUPTI_RANGE_cuProfilerStop);
	if (starts && site == CUPTI_EXIT)
		recording.above->range_begins();
	else if (stops && site == CUPTI_ENTER)
		recording.above->range_ends();
	return starts || stops;
}

void cupti_window_on_event(void *user, int domain, uint32_t id, const void *data)
{
	const struct cupti_call *call = data;
	if (domain == CUPTI_DOMAIN_RUNTIME || domain == CUPTI_DOMAIN_DRIVER) {
		if (!recording_by_cupti() || is_range_call(domain, id, call->site))
			return;
		if (call->site == CUPTI_ENTER) {
			on_enter(user, domain, id, call);
			return;
		}
		if (*call->data < atomic_load(&recording_window.begin_ticks))
			return; /* it began before the window: what stands there is no time of ours */
		cupti_on_event(user, domain, id, data);
		count(-1); /* its slot is there */
		return;
	}
	cupti_on_event(user, domain, id, data);
}

static bool lies_inside(const struct gpu_record *record)
{
	int64_t from, to;
	return recording_window_times(&from, &to) && record->end_ns > from &&
		   (!to || record->start_ns < to);
}

bool cupti_window_takes(const struct gpu_record *record)
{
	uint32_t correlation = record->correlation;
	if (record->kind == GPU_RECORD_OVERHEAD || !correlation)
		return lies_inside(record);
	if (!is_sure(&begin, correlation))
		return is_first(&begin, correlation);
	return !is_sure(&end, correlation) && !is_first(&end, correlation);
}
