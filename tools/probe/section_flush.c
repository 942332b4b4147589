/* What a flush costs, by how many records wait for it, and how soon the worker delivers by itself.
 */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>

static void launch_many(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		work_empty(work.stream);
		if (i % 500 == 499)
			work_sync();
	}
	work_sync();
}

static void tell_flush(int records, uint32_t flag)
{
	int i, n = records > 1000 ? work_repeats(3) : work_repeats(20);
	struct series costs = {0};
	char name[96];

	activity_flush(1);
	for (i = 0; i < n; i++) {
		launch_many(records);
		series_add(&costs, activity_flush(flag));
	}
	activity_flush(1);
	snprintf(name, sizeof(name), "FlushAll(%u) with %d records", flag, records);
	series_tell(&costs, name, "ns");
}

/* Buffers of 8 KiB, the worker woken every 100 ms: what comes without a flush of ours? */
static void tell_period(void)
{
	size_t before;
	int64_t from;
	int rc;

	if (!result_have("cuptiActivityFlushPeriod", cupti.flush_period))
		return;
	rc = cupti.flush_period(100);
	result_text("cuptiActivityFlushPeriod(100)", "%d %s", rc, cupti_error(rc));
	before = activity.buffer_count;
	launch_many(work_repeats(1000));
	from = clock_mono();
	while (clock_mono() - from < 1000000000 && activity.buffer_count == before)
		clock_sleep(1000000);
	result_value("first buffer by itself after", "ns", clock_mono() - from);
	clock_sleep(300000000);
	result_value("buffers by themselves", "count", (int64_t)(activity.buffer_count - before));
	before = activity.buffer_count;
	activity_flush(0);
	result_value("more by FlushAll(0)", "count", (int64_t)(activity.buffer_count - before));
	before = activity.buffer_count;
	activity_flush(1);
	result_value("more by FlushAll(1)", "count", (int64_t)(activity.buffer_count - before));
}

static void flush_run(const char *variant)
{
	(void)variant;
	if (!work_init() || !work_cupti() || !calls_subscribe_counting() ||
		!activity_start((struct activity_options){.buffer_bytes = 4 << 20, .count_only = true}) ||
		!activity_enable(KIND_KERNEL) || !work_begin())
		return;
	tell_flush(0, 0);
	tell_flush(0, 1);
	tell_flush(1000, 0);
	tell_flush(1000, 1);
	tell_flush(options.quick ? 1000 : 20000, 1);
	activity.options.buffer_bytes = 8192;
	tell_period();
}

const struct section section_flush = {"flush", "all", 1, 30, flush_run};
