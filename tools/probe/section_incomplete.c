/* What a flush does to a kernel that is still running: its record, its repetition, the time it
 * takes. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { HOLD_NS = 200000000, QUEUED = 20 };

static size_t incomplete_from(size_t first)
{
	size_t i, count = 0;

	for (i = first; i < activity.record_count; i++)
		count += activity.records[i].start == 0 || activity.records[i].end == 0;
	return count;
}

/* Records with a correlation id that was there before. */
static size_t repeated_from(size_t first)
{
	size_t i, j, count = 0;

	for (i = first; i < activity.record_count; i++)
		for (j = 0; j < i; j++)
			if (activity.records[j].correlation == activity.records[i].correlation) {
				count++;
				break;
			}
	return count;
}

static void incomplete_run(const char *variant)
{
	bool forced = !strcmp(variant, "forced");
	size_t before, during;
	int i;

	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!calls_enable(DOMAIN_DRIVER, CBID_LAUNCH) ||
		!activity_start((struct activity_options){.keep = true}) || !activity_enable(KIND_KERNEL) ||
		!work_begin())
		return;
	activity_flush(1);
	before = activity.record_count;
	work_spin(work.stream, HOLD_NS);
	for (i = 0; i < QUEUED; i++)
		work_empty(work.stream);
	clock_sleep(5000000);
	result_value(forced ? "FlushAll(1) while a kernel runs took"
						: "FlushAll(0) while a kernel runs took",
				 "ns", activity_flush(forced));
	during = activity.record_count;
	result_value("records it gave", "count", (int64_t)(during - before));
	result_value("of them incomplete", "count", (int64_t)incomplete_from(before));
	work_sync();
	activity_flush(1);
	result_value("records given later", "count", (int64_t)(activity.record_count - during));
	result_value("of them incomplete later", "count", (int64_t)incomplete_from(during));
	result_value("of them of kernels given before", "count", (int64_t)repeated_from(during));
	result_value("launched meanwhile", "count", QUEUED + 1);
	if (forced)
		work_fixture("incomplete", "a forced flush while a kernel runs and 20 wait behind it");
}

const struct section section_incomplete = {"incomplete", "forced unforced", 1, 20, incomplete_run};
