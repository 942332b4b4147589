/* How soon work starts when what it waited for is done: an event of another stream, a host
 * function, a copy; and what CUPTI tells of them. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>

static struct {
	int64_t begin, end;
	uint32_t tid;
} host_run;

static void host_function(void *data)
{
	(void)data;
	host_run.begin = clock_real();
	host_run.tid = activity_tid();
	while (clock_real() - host_run.begin < 50000)
		continue;
	host_run.end = clock_real();
}

/* The two newest kernels by start; false when they are not both there. */
static bool newest_two(const struct record **first, const struct record **second)
{
	activity_flush(1);
	activity_sort_starts();
	if (activity.record_count < 2)
		return false;
	*second = &activity.records[activity.record_count - 1];
	*first = *second - 1;
	return (*first)->start != 0 && (*first)->kind == KIND_KERNEL;
}

static void across_streams(int n)
{
	const struct record *first, *second;
	struct series gaps = {0};
	void *event;
	int i;

	if (!result_have("cuEventCreate", cuda.event_create) ||
		!result_have("cuEventRecord", cuda.event_record) ||
		!result_have("cuStreamWaitEvent", cuda.stream_wait_event) ||
		!result_ok("cuEventCreate", cuda.event_create(&event, 2)))
		return;
	for (i = 0; i < n; i++) {
		work_spin(work.stream, 200000);
		cuda.event_record(event, work.stream);
		cuda.stream_wait_event(work.other, event, 0);
		work_empty(work.other);
		work_sync();
		if (newest_two(&first, &second))
			series_add(&gaps, (int64_t)(second->start - first->end));
	}
	series_tell(&gaps, "gap across streams by an event", "ns");
}

static void behind_host_function(int n)
{
	struct series before = {0}, lengths = {0}, after = {0};
	const struct record *first, *second;
	uint32_t first_tid = 0, others = 0;
	int i;

	if (!result_have("cuLaunchHostFunc", cuda.host_func))
		return;
	for (i = 0; i < n; i++) {
		work_spin(work.stream, 200000);
		if (!result_ok("cuLaunchHostFunc", cuda.host_func(work.stream, host_function, NULL)))
			return;
		work_empty(work.stream);
		work_sync();
		if (!newest_two(&first, &second))
			continue;
		series_add(&before, host_run.begin - (int64_t)first->end);
		series_add(&lengths, host_run.end - host_run.begin);
		series_add(&after, (int64_t)second->start - host_run.end);
		others += first_tid && first_tid != host_run.tid;
		first_tid = host_run.tid;
	}
	series_tell(&before, "kernel end to begin of the host function", "ns");
	series_tell(&lengths, "run of the host function", "ns");
	series_tell(&after, "end of the host function to the next kernel", "ns");
	result_text("host function's thread", "%s; changes of it: %u",
				first_tid == activity_tid() ? "the launching one" : "another one", others);
}

static void behind_copy(int n)
{
	struct series gaps = {0}, backs = {0};
	static char from[4096];
	size_t i;
	int run;

	if (!work.memory || !result_have("cuMemcpyHtoDAsync_v2", cuda.to_device))
		return;
	activity_enable(KIND_MEMCPY);
	activity_flush(1);
	activity.record_count = 0;
	for (run = 0; run < n; run++) {
		work_spin(work.stream, 100000);
		cuda.to_device(work.memory, from, sizeof(from), work.stream);
		work_empty(work.stream);
		work_sync();
	}
	activity_flush(1);
	activity_sort_starts();
	for (i = 1; i < activity.record_count; i++) {
		const struct record *op = &activity.records[i];

		if (op->kind == KIND_MEMCPY && op[-1].kind == KIND_KERNEL)
			series_add(&gaps, (int64_t)(op->start - op[-1].end));
		if (op->kind == KIND_KERNEL && op[-1].kind == KIND_MEMCPY)
			series_add(&backs, (int64_t)(op->start - op[-1].end));
	}
	series_tell(&gaps, "gap kernel to pageable copy of 4 KiB", "ns");
	series_tell(&backs, "gap pageable copy of 4 KiB to kernel", "ns");
}

static void dependency_run(const char *variant)
{
	int n = work_repeats(100);

	(void)variant;
	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!activity_start((struct activity_options){0}) || !activity_enable(KIND_KERNEL) ||
		!work_begin())
		return;
	across_streams(n);
	behind_host_function(n);
	behind_copy(n);
}

const struct section section_dependency = {"dependency", "all", 1, 30, dependency_run};
