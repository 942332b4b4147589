/* Every kind of record that baton asks for: accepted or not, how many come of a small program, how
 * large one is (it tells the layout). */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

#include <stdio.h>

struct kind {
	int kind;
	const char *name;
};

static const struct kind kinds[] = {
	{KIND_KERNEL, "CONCURRENT_KERNEL"},
	{KIND_MEMCPY, "MEMCPY"},
	{KIND_MEMCPY2, "MEMCPY2"},
	{KIND_MEMSET, "MEMSET"},
	{KIND_SYNCHRONIZATION, "SYNCHRONIZATION"},
	{KIND_CUDA_EVENT, "CUDA_EVENT"},
	{KIND_OVERHEAD, "OVERHEAD"},
	{KIND_CONTEXT, "CONTEXT"},
	{KIND_DRIVER, "DRIVER"},
	{KIND_RUNTIME, "RUNTIME"},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void play(void)
{
	static char host[4096];
	void *event = NULL;
	int i;

	if (cuda.event_create)
		cuda.event_create(&event, 0);
	for (i = 0; i < 10; i++) {
		work_spin(work.stream, 50000);
		if (event && cuda.event_record)
			cuda.event_record(event, work.stream);
		if (event && cuda.stream_wait_event)
			cuda.stream_wait_event(work.other, event, 0);
		work_empty(work.other);
		if (work.memory && cuda.to_device)
			cuda.to_device(work.memory, host, sizeof(host), work.stream);
		if (work.memory && cuda.memset8)
			cuda.memset8(work.memory, 0, 4096, work.stream);
		if (event && cuda.event_synchronize)
			cuda.event_synchronize(event);
		if (cuda.stream_synchronize)
			cuda.stream_synchronize(work.stream);
		work_sync();
	}
}

static void tell_kind(const struct kind *kind)
{
	size_t i, types[8] = {0};
	uint32_t size = 0;
	char name[64];

	for (i = 0; i < activity.record_count; i++) {
		const struct record *record = &activity.records[i];

		if (record->kind != (uint32_t)kind->kind)
			continue;
		size = record->size;
		types[record->detail < 8 ? record->detail : 7]++;
	}
	snprintf(name, sizeof(name), "%s records", kind->name);
	result_value(name, "count", (int64_t)activity_count(kind->kind));
	snprintf(name, sizeof(name), "%s record", kind->name);
	result_value(name, "bytes", size);
	if (kind->kind == KIND_SYNCHRONIZATION)
		result_text("of which kind", "event %zu, stream wait %zu, stream %zu, context %zu",
					types[1], types[2], types[3], types[4]);
}

static void events_run(const char *variant)
{
	size_t i;

	(void)variant;
	if (!work_init() || !work_cupti() || !calls_subscribe() ||
		!calls_enable(DOMAIN_DRIVER, CBID_LAUNCH) ||
		!activity_start((struct activity_options){.keep = true}))
		return;
	for (i = 0; i < KINDS; i++)
		activity_enable(kinds[i].kind);
	if (result_have("cuptiActivityEnableAllSyncRecords", cupti.all_syncs))
		result_text("all synchronisation records", "%s", cupti_error(cupti.all_syncs(1)));
	if (result_have("cuptiActivityEnableCudaEventDeviceTimestamps", cupti.event_times))
		result_text("device times in event records", "%s", cupti_error(cupti.event_times(1)));
	if (!work_begin())
		return;
	play();
	activity_flush(1);
	for (i = 0; i < KINDS; i++)
		tell_kind(&kinds[i]);
	work_fixture("events",
				 "ten rounds of kernel, event, wait, copy, memset, synchronise; all kinds");
}

const struct section section_events = {"events", "all", 1, 20, events_run};
