/* How many launches fit behind a long kernel before cuLaunchKernel blocks, and what CUPTI says of
 * the blocking. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <string.h>

enum { LAUNCHES_MOST = 16384, HOLD_NS = 400000000, BLOCKED_NS = 20000000 };

static void fill(void)
{
	int64_t from, took = 0;
	int launches = 0;

	if (work_spin(work.stream, HOLD_NS) != 0)
		return;
	while (launches < LAUNCHES_MOST) {
		from = clock_mono();
		if (!result_ok("cuLaunchKernel", work_empty(work.stream)))
			break;
		took = clock_mono() - from;
		if (took > BLOCKED_NS)
			break;
		launches++;
	}
	if (took > BLOCKED_NS) {
		result_value("launches queued before one blocked", "count", launches);
		result_value("the launch that blocked took", "ns", took);
	} else {
		result_message("no launch blocked: %d queued, all before the kernel of %d ms ended",
					   launches, HOLD_NS / 1000000);
	}
	work_sync();
}

static void tell_overheads(void)
{
	size_t i, full = 0, all = 0;
	int64_t longest = 0;

	for (i = 0; i < activity.record_count; i++) {
		const struct record *record = &activity.records[i];

		if (record->kind != KIND_OVERHEAD)
			continue;
		all++;
		if (record->detail != OVERHEAD_COMMAND_BUFFER_FULL)
			continue;
		full++;
		if ((int64_t)(record->end - record->start) > longest)
			longest = (int64_t)(record->end - record->start);
	}
	result_value("overhead records", "count", (int64_t)all);
	result_value("of them command buffer full", "count", (int64_t)full);
	result_value("longest of those", "ns", longest);
}

static void queue_run(const char *variant)
{
	if (!strcmp(variant, "bare")) {
		if (work_init_plain() && work_begin())
			fill();
		return;
	}
	if (!work_init() || !work_cupti() || !calls_subscribe_counting() ||
		!activity_start((struct activity_options){.buffer_bytes = 1 << 20}) ||
		!activity_enable(KIND_KERNEL) || !activity_enable(KIND_OVERHEAD) || !work_begin())
		return;
	fill();
	activity_flush(1);
	tell_overheads();
}

const struct section section_queue = {"queue", "bare cupti", 1, 20, queue_run};
