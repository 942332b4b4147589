/* No buffer for CUPTI: what it counts as dropped, and that launches go on. */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

enum { LAUNCHES = 1000 };

static void tell(const char *name)
{
	size_t dropped = 0;
	int rc = cupti.dropped(NULL, 0, &dropped);

	if (rc == 0)
		result_value(name, "count", (int64_t)dropped);
	else
		result_message("cuptiActivityGetNumDroppedRecords: error %d %s", rc, cupti_error(rc));
}

static void launch_batches(void)
{
	int i;

	for (i = 0; i < LAUNCHES; i++) {
		result_ok("cuLaunchKernel", work_empty(work.stream));
		if (i % 250 == 249)
			work_sync();
	}
}

static void dropped_run(const char *variant)
{
	(void)variant;
	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!activity_start((struct activity_options){0}) || !activity_enable(KIND_KERNEL) ||
		!work_begin() || !result_have("cuptiActivityGetNumDroppedRecords", cupti.dropped))
		return;
	activity_flush(1);
	tell("dropped with buffers");
	activity.options.refuse = true;
	launch_batches();
	activity_flush(1);
	result_value("launched without a buffer", "count", LAUNCHES);
	tell("dropped without buffers");
	tell("dropped, asked again");
	activity.options.refuse = false;
	activity.record_count = 0;
	launch_batches();
	activity_flush(1);
	result_value("launched with buffers again", "count", LAUNCHES);
	result_value("records of them", "count", (int64_t)activity.record_count);
}

const struct section section_dropped = {"dropped", "all", 1, 20, dropped_run};
