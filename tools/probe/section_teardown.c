/* The end of a process: whether a flush still works in an exit handler registered before cuInit and
 * in one registered after it, and in the callback that announces a context's end. */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

static void flush_late(const char *where)
{
	size_t before = activity.record_count;
	int64_t took;

	result_text(where, "reached");
	took = activity_flush(1);
	result_value("its flush took", "ns", took);
	result_value("its flush gave records", "count", (int64_t)(activity.record_count - before));
}

static void early_handler(void)
{
	flush_late("exit handler registered before cuInit");
}

static void late_handler(void)
{
	flush_late("exit handler registered after cuInit");
}

static void on_resource(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)data;
	if (domain == DOMAIN_RESOURCE && cbid == CBID_RESOURCE_CONTEXT_DESTROY)
		flush_late("callback of a context's end");
}

static bool attach(void)
{
	void *subscriber;

	return work_init() && work_cupti() && result_have("cuptiSubscribe", cupti.subscribe) &&
		   result_ok("cuptiSubscribe", cupti.subscribe(&subscriber, on_resource, NULL)) &&
		   result_have("cuptiEnableCallback", cupti.enable_callback) &&
		   result_ok("cuptiEnableCallback", cupti.enable_callback(1, subscriber, DOMAIN_RESOURCE,
																  CBID_RESOURCE_CONTEXT_DESTROY)) &&
		   activity_start((struct activity_options){0}) && activity_enable(KIND_KERNEL);
}

static void teardown_run(const char *variant)
{
	int i;

	if (!strcmp(variant, "early"))
		atexit(early_handler);
	if (!attach() || !work_begin())
		return;
	if (!strcmp(variant, "late"))
		atexit(late_handler);
	activity_flush(1);
	for (i = 0; i < 50; i++)
		work_empty(work.stream);
	work_sync();
	result_value("launched before the end", "count", 50);
	if (!strcmp(variant, "context") && result_have("cuDevicePrimaryCtxReset", cuda.primary_reset))
		result_ok("cuDevicePrimaryCtxReset", cuda.primary_reset(work.device));
}

const struct section section_teardown = {"teardown", "early late context", 1, 20, teardown_run};
