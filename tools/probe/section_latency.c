/* From the launch call to the kernel's start on an idle stream, and from kernel to kernel when they
 * are queued. Host times are CLOCK_REALTIME, the device's are CUPTI's. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch {
	int64_t begin, end, done;
	uint32_t correlation;
};

static bool attach(void)
{
	return work_init() && work_cupti() && calls_subscribe() &&
		   calls_enable(DOMAIN_DRIVER, CBID_LAUNCH) &&
		   activity_start((struct activity_options){.keep = true}) && activity_enable(KIND_KERNEL);
}

/* The correlation id of the newest launch of this thread. */
static uint32_t newest_correlation(void)
{
	uint32_t count = calls_count();

	return count ? call_log.calls[count - 1].correlation : 0;
}

static void launch_all(struct launch *launches, int n, int64_t pause_ns)
{
	int i;

	for (i = 0; i < n; i++) {
		if (pause_ns)
			clock_sleep(pause_ns);
		launches[i].begin = clock_real();
		work_empty(work.stream);
		launches[i].end = clock_real();
		cuda.synchronize();
		launches[i].done = clock_real();
		launches[i].correlation = newest_correlation();
	}
}

/* Skews are times that cannot be: they say how far CUPTI's clock is from the host's. */
static void tell_launches(const char *when, const struct launch *launches, int n)
{
	struct series starts = {0}, tails = {0};
	int i, before_begin = 0, before_return = 0, after_done = 0, lost = 0;
	char name[96];

	for (i = 0; i < n; i++) {
		const struct record *kernel = activity_find(launches[i].correlation, KIND_KERNEL);

		if (!kernel || kernel->start == 0) {
			lost++;
			continue;
		}
		series_add(&starts, (int64_t)kernel->start - launches[i].begin);
		series_add(&tails, launches[i].done - (int64_t)kernel->end);
		before_begin += (int64_t)kernel->start < launches[i].begin;
		before_return += (int64_t)kernel->start < launches[i].end;
		after_done += (int64_t)kernel->end > launches[i].done;
	}
	snprintf(name, sizeof(name), "launch call to start, %s", when);
	series_tell(&starts, name, "ns");
	snprintf(name, sizeof(name), "kernel end to return of the synchronise, %s", when);
	series_tell(&tails, name, "ns");
	snprintf(name, sizeof(name), "starts before the launch call began, %s", when);
	result_value(name, "count", before_begin);
	snprintf(name, sizeof(name), "starts before the launch call returned, %s", when);
	result_value(name, "count", before_return);
	snprintf(name, sizeof(name), "ends after the synchronise returned, %s", when);
	result_value(name, "count", after_done);
	snprintf(name, sizeof(name), "launches without a complete record, %s", when);
	result_value(name, "count", lost);
}

/* Behind a kernel that holds the stream until all are queued. */
static void queued(int n)
{
	struct series gaps = {0}, lengths = {0};
	size_t i, from;

	activity_flush(1);
	from = activity.record_count;
	work_spin(work.stream, 20000000);
	for (i = 0; i < (size_t)n; i++)
		work_empty(work.stream);
	work_sync();
	activity_flush(1);
	if (activity.record_count <= from)
		return;
	activity_sort_starts();
	for (i = from + 2; i < activity.record_count; i++) {
		const struct record *kernel = &activity.records[i];

		if (kernel->kind != KIND_KERNEL || kernel[-1].kind != KIND_KERNEL)
			continue;
		series_add(&gaps, (int64_t)(kernel->start - kernel[-1].end));
		series_add(&lengths, (int64_t)(kernel->end - kernel->start));
	}
	series_tell(&gaps, "gap between queued kernels of a stream", "ns");
	series_tell(&lengths, "length of an empty kernel", "ns");
}

static void latency_run(const char *variant)
{
	int n = work_repeats(400), slow = work_repeats(100);
	struct launch *launches = calloc((size_t)(n + slow), sizeof(*launches));

	(void)variant;
	if (!launches || !attach() || !work_begin())
		return;
	launch_all(launches, n, 0);
	launch_all(launches + n, slow, 5000000);
	activity_flush(1);
	tell_launches("stream just idle", launches, n);
	tell_launches("stream idle for 5 ms", launches + n, slow);
	work_fixture("latency", "single launches of an empty kernel, each waited for");
	activity.options.keep = false;
	queued(work_repeats(500));
}

const struct section section_latency = {"latency", "all", 1, 30, latency_run};
