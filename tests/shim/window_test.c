/* Which work belongs to a window, when threads stand between CUPTI's numbering of a call and its
 * callback at either edge (shim/sources/cupti/cupti_window.c). The test numbers the calls and makes the callbacks
 * itself, in the orders that matter, on threads that take turns. */
#include "sources/cupti/cupti_window.h"

#include "base/recording.h"
#include "sources/cupti/cupti_calls.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_read.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { THREADS = 4 };

static uint64_t ticks = 1000;
static int exits, closed, failures;
static bool ends_meanwhile;     /* before the next call has its time */
static unsigned inside_by_then; /* calls in progress when it has it */

void cupti_on_event(void *user, int domain, uint32_t id, const void *data)
{
	const struct cupti_call *call = data;
	(void)user, (void)domain, (void)id;
	if (ends_meanwhile) {
		atomic_store(&recording_window.end_ticks, ++ticks);
		recording_move(RECORDING_OPEN, RECORDING_ENDING);
	}
	ends_meanwhile = false;
	inside_by_then = cupti_window_inside();
	if (call->site == CUPTI_ENTER)
		*call->data = ++ticks;
	else
		exits++;
}

static void window_close(void)
{
	closed++;
	recording_move(RECORDING_OPEN, RECORDING_ENDING);
}

static const struct recording_above above = {.window_close = window_close};

/* ---- threads that take turns ---- */

static struct turn {
	sem_t begin, end;
	int site;
	uint32_t correlation;
	unsigned long long *data;
} turns[THREADS];

static void *take_turns(void *given)
{
	struct turn *turn = given;
	for (;;) {
		sem_wait(&turn->begin);
		if (!turn->correlation)
			return NULL;
		struct cupti_call call = {
			.site = turn->site, .correlation = turn->correlation, .data = turn->data};
		cupti_window_on_event(NULL, CUPTI_DOMAIN_RUNTIME, CUPTI_CBID_cudaMemcpy_v3020, &call);
		sem_post(&turn->end);
	}
}

static bool event(int thread, int site, uint32_t correlation, unsigned long long *data)
{
	struct turn *turn = &turns[thread];
	int before = exits;
	turn->site = site;
	turn->correlation = correlation;
	turn->data = data;
	sem_post(&turn->begin);
	sem_wait(&turn->end);
	return exits != before;
}

/* A whole call; was it recorded? */
static bool call(int thread, uint32_t correlation)
{
	unsigned long long data = 77; /* somebody's before */
	event(thread, CUPTI_ENTER, correlation, &data);
	return event(thread, CUPTI_EXIT, correlation, &data);
}

static void expect(bool good, const char *what)
{
	failures += !good;
	if (!good)
		printf("window_test: %s\n", what);
}

static bool takes(uint32_t correlation)
{
	struct gpu_record record = {.kind = GPU_RECORD_KERNEL, .correlation = correlation};
	return cupti_window_takes(&record);
}

#define BASE 0xfffffff3u /* the numbers wrap around within the window */

/* 0 took its number first and comes to its callback late; 1's is newer and came too early. */
static void at_the_begin(void)
{
	unsigned long long data = 77;
	expect(!call(1, BASE + 2), "a call before the window is recorded");
	recording_move(RECORDING_WAITS, RECORDING_OPEN);
	expect(!event(2, CUPTI_EXIT, BASE + 3, &data), "a call that began before is recorded");
	expect(call(0, BASE + 1), "the first call of a thread is not recorded");
	expect(takes(BASE + 1) && !takes(BASE + 2) && !takes(BASE + 3), "mixed numbers at the begin");
	expect(call(1, BASE + 5) && takes(BASE + 5), "the first call of another thread");
	expect(!takes(BASE + 4), "a call that nobody saw");
	expect(call(0, BASE + 6) && takes(BASE + 6), "a second call");
	expect(takes(BASE + 7), "from the second call on all is recorded");
	expect(takes(BASE + 1) && takes(BASE + 5) && !takes(BASE + 2) && !takes(BASE + 4),
		   "what was so before the second call");
}

/* A call of its own number inside another, and the driver's call of the outer one after it. */
static void inside_another(void)
{
	unsigned long long outer, inner;
	event(3, CUPTI_ENTER, BASE + 8, &outer);
	event(3, CUPTI_ENTER, BASE + 9, &inner);
	expect(cupti_window_inside() == 2, "a call and one in it are in progress");
	event(3, CUPTI_EXIT, BASE + 9, &inner);
	atomic_store(&recording_window.until_ticks, 0); /* the time is over, and nobody has said so */
	expect(!call(0, BASE + 18) && closed == 1, "a call behind its time is recorded");
	unsigned long long driver;
	event(3, CUPTI_ENTER, BASE + 8, &driver);
	event(3, CUPTI_EXIT, BASE + 8, &driver);
	expect(cupti_window_inside() == 1, "a call that has not returned");
	expect(event(3, CUPTI_EXIT, BASE + 8, &outer), "a call that returns behind is not recorded");
	expect(takes(BASE + 8) && takes(BASE + 9), "a call that goes on behind the window");
	expect(cupti_window_inside() == 0, "all have returned");
}

static void at_the_end(void)
{
	expect(!takes(BASE + 18), "the first call behind the window");
	expect(takes(BASE + 17) && takes(BASE + 19), "recorded calls around it");
	expect(!call(1, BASE + 16) && !takes(BASE + 16), "a late callback of an older number");
	expect(!call(1, BASE + 21) && !takes(BASE + 21), "a second call behind the window");
	expect(takes(BASE + 20) && !takes(BASE + 22), "from the second call on nothing is recorded");
}

/* Its thread lost its core behind the look at the window. */
static void ends_as_it_begins(void)
{
	cupti_window_forget();
	atomic_store(&recording_window.end_ticks, 0);
	atomic_store(&recording_window.until_ticks, UINT64_MAX);
	recording_move(RECORDING_ENDING, RECORDING_OPEN);
	expect(call(0, BASE + 30), "a call in another window");
	ends_meanwhile = true;
	expect(!call(2, BASE + 31), "a call whose time is behind the window");
	expect(inside_by_then == 1, "nobody waits for a call that is about to get its time");
	expect(cupti_window_inside() == 0, "a call that is not recorded is in progress");
}

static void without_a_call(void)
{
	struct gpu_record record = {.kind = GPU_RECORD_OVERHEAD, .start_ns = 90, .end_ns = 101};
	expect(cupti_window_takes(&record), "overhead across the begin");
	record.end_ns = 100;
	expect(!cupti_window_takes(&record), "overhead before");
	record.start_ns = 200;
	record.end_ns = 210;
	expect(!cupti_window_takes(&record), "overhead behind");
}

int main(void)
{
	recording.above = &above;
	recording_mark(RECORDING_BY_CUPTI | RECORDING_WAITS);
	atomic_store(&recording_window.begin_ticks, 100);
	atomic_store(&recording_window.begin_ns, 100);
	atomic_store(&recording_window.end_ns, 200);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++) {
		sem_init(&turns[i].begin, 0, 0);
		sem_init(&turns[i].end, 0, 0);
		pthread_create(&threads[i], NULL, take_turns, &turns[i]);
	}
	at_the_begin();
	inside_another();
	at_the_end();
	ends_as_it_begins();
	without_a_call();
	for (int i = 0; i < THREADS; i++) {
		turns[i].correlation = 0;
		sem_post(&turns[i].begin);
		pthread_join(threads[i], NULL);
	}
	printf("window_test: %d failed\n", failures);
	return failures != 0;
}
