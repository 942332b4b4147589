/* cuptiActivityRegisterTimestampCallback: at which moment it is accepted, and whether records then
 * carry our clock (MONOTONIC_RAW, which is nowhere near CUPTI's own). */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <string.h>

static _Atomic uint64_t asked;

static uint64_t raw_clock(void)
{
	asked++;
	return (uint64_t)clock_ns(CLOCK_MONOTONIC_RAW);
}

static void try_register(void)
{
	int rc = cupti.timestamp_callback(raw_clock);

	result_text("registered", "%d %s", rc, cupti_error(rc));
}

static void tell_clock(int64_t from, int64_t to)
{
	int64_t ours = 0, others = 0, incomplete = 0;
	size_t i;

	for (i = 0; i < activity.record_count; i++) {
		const struct record *record = &activity.records[i];

		if (record->start == 0)
			incomplete++;
		else if ((int64_t)record->start >= from && (int64_t)record->end <= to)
			ours++;
		else
			others++;
	}
	result_value("records in our clock", "count", ours);
	result_value("records out of it", "count", others);
	result_value("records without times", "count", incomplete);
	result_value("times CUPTI asked our clock", "count", (int64_t)asked);
}

static void timestamps_run(const char *variant)
{
	int64_t from = clock_ns(CLOCK_MONOTONIC_RAW);
	int i, n = work_repeats(200);

	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!result_have("cuptiActivityRegisterTimestampCallback", cupti.timestamp_callback))
		return;
	if (!strcmp(variant, "first"))
		try_register();
	if (!activity_start((struct activity_options){0}))
		return;
	if (!strcmp(variant, "before_enable"))
		try_register();
	if (!activity_enable(KIND_KERNEL))
		return;
	if (!strcmp(variant, "after_enable"))
		try_register();
	if (!work_begin())
		return;
	if (!strcmp(variant, "after_context")) {
		activity_flush(1);
		activity.record_count = 0;
		try_register();
	}
	for (i = 0; i < n; i++)
		work_empty(work.stream);
	work_sync();
	activity_flush(1);
	tell_clock(from, clock_ns(CLOCK_MONOTONIC_RAW));
}

const struct section section_timestamps = {
	"timestamps", "first before_enable after_enable after_context", 1, 20, timestamps_run};
