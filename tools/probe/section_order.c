/* Two threads on four streams: the order of records in and over buffers, who is asked for buffers
 * and who gets them back, with a buffer per thread and without. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 2, STREAMS = 2 };

struct launcher {
	pthread_t thread;
	uint32_t tid;
	int launches, failed;
};

static void *launcher_run(void *argument)
{
	struct launcher *launcher = argument;
	void *streams[STREAMS] = {NULL};
	int i;

	launcher->tid = activity_tid();
	if (cuda.set_current(work.context) != 0 ||
		cuda.stream_create(&streams[0], CUDA_STREAM_NON_BLOCKING) != 0 ||
		cuda.stream_create(&streams[1], CUDA_STREAM_NON_BLOCKING) != 0) {
		launcher->failed = 1;
		return NULL;
	}
	for (i = 0; i < launcher->launches; i++) {
		void *stream = streams[i % STREAMS];

		launcher->failed += (i % 5 == 0 ? work_spin(stream, 20000) : work_empty(stream)) != 0;
		if (i % 10 == 9 && cuda.memset8 && work.memory)
			launcher->failed += cuda.memset8(work.memory, 0, 1024, stream) != 0;
		if (i % 100 == 99)
			launcher->failed += cuda.stream_synchronize && cuda.stream_synchronize(stream) != 0;
	}
	return NULL;
}

static void set_per_thread(const char *variant)
{
	uint8_t value = !strcmp(variant, "per_thread");
	size_t bytes = sizeof(value);
	int rc;

	if (!result_have("cuptiActivitySetAttribute", cupti.set_attribute))
		return;
	rc = cupti.set_attribute(ATTRIBUTE_PER_THREAD, &bytes, &value);
	result_text("set PER_THREAD_ACTIVITY_BUFFER", "%d: %s", value, cupti_error(rc));
}

static void tell_order(void)
{
	int64_t starts = 0, ends = 0, correlations = 0, across = 0;
	size_t i;

	for (i = 1; i < activity.record_count; i++) {
		const struct record *record = &activity.records[i];
		bool same = record->buffer == record[-1].buffer;

		starts += same && record->start < record[-1].start;
		ends += same && record->end < record[-1].end;
		correlations += same && record->correlation < record[-1].correlation;
		across += !same && record->start < record[-1].start;
	}
	result_value("records", "count", (int64_t)activity.record_count);
	result_value("earlier start than the record before, same buffer", "count", starts);
	result_value("earlier end than the record before, same buffer", "count", ends);
	result_value("lower correlation than the record before", "count", correlations);
	result_value("buffers that begin before the last one's end", "count", across);
}

static void tell_threads(const struct launcher *launchers)
{
	int64_t by_launcher = 0, done_by_asker = 0, done_by_main = 0;
	uint32_t main_tid = activity_tid(), i;

	for (i = 0; i < activity.buffer_count; i++) {
		const struct activity_buffer *buffer = &activity.buffers[i];

		by_launcher +=
			buffer->request_tid == launchers[0].tid || buffer->request_tid == launchers[1].tid;
		done_by_asker += buffer->done_tid == buffer->request_tid;
		done_by_main += buffer->done_tid == main_tid;
	}
	result_value("buffers", "count", (int64_t)activity.buffer_count);
	result_value("asked for by a launching thread", "count", by_launcher);
	result_value("completed on the thread that asked", "count", done_by_asker);
	result_value("completed on the thread that flushed", "count", done_by_main);
}

static void order_run(const char *variant)
{
	struct launcher launchers[THREADS] = {{.launches = work_repeats(600)},
										  {.launches = work_repeats(600)}};
	int i, started = 0;

	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!calls_enable(DOMAIN_DRIVER, CBID_LAUNCH))
		return;
	if (strcmp(variant, "default") != 0)
		set_per_thread(variant);
	if (!activity_start((struct activity_options){.keep = true, .buffer_bytes = 32 * 1024}) ||
		!activity_enable(KIND_KERNEL) || !activity_enable(KIND_MEMSET) || !work_begin())
		return;
	while (started < THREADS &&
		   pthread_create(&launchers[started].thread, NULL, launcher_run, &launchers[started]) == 0)
		started++;
	for (i = 0; i < started; i++) {
		pthread_join(launchers[i].thread, NULL);
		result_ok("a launching thread", launchers[i].failed);
	}
	work_sync();
	activity_flush(1);
	tell_order();
	tell_threads(launchers);
	if (!strcmp(variant, "per_thread"))
		work_fixture("order",
					 "two threads, four streams, kernels and memsets, a buffer per thread");
	if (!strcmp(variant, "shared"))
		work_fixture("order_shared", "the same with buffers that threads share");
}

const struct section section_order = {"order", "default per_thread shared", 1, 20, order_run};
