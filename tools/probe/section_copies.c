/* Copies: bandwidth by the wall clock and by CUPTI's record, and whether the call waits. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct copy {
	const char *name;
	bool to_device, pinned;
};

static const struct copy copies[] = {
	{"H2D pageable", true, false},
	{"H2D pinned", true, true},
	{"D2H pageable", false, false},
	{"D2H pinned", false, true},
};

static const size_t sizes[] = {4096, 1 << 20, WORK_BYTES};

static int copy_once(const struct copy *copy, void *host, size_t bytes)
{
	if (copy->to_device)
		return cuda.to_device(work.memory, host, bytes, work.stream);
	return cuda.to_host(host, work.memory, bytes, work.stream);
}

static int64_t megabytes_per_second(size_t bytes, int64_t ns)
{
	return ns > 0 ? (int64_t)((double)bytes * 1e3 / (double)ns) : 0;
}

static void measure(const struct copy *copy, void *host, size_t bytes)
{
	struct series calls = {0}, rates = {0}, records = {0};
	int i, n = bytes > 1 << 20 ? work_repeats(10) : work_repeats(100);
	char name[96];
	size_t at;
	int64_t from;

	activity_flush(1);
	activity.record_count = 0;
	for (i = 0; i < n; i++) {
		from = clock_mono();
		if (!result_ok(copy->name, copy_once(copy, host, bytes)))
			break;
		series_add(&calls, clock_mono() - from);
		work_sync();
		series_add(&rates, megabytes_per_second(bytes, clock_mono() - from));
	}
	activity_flush(1);
	for (at = 0; at < activity.record_count; at++)
		if (activity.records[at].kind == KIND_MEMCPY)
			series_add(&records, megabytes_per_second(activity.records[at].bytes,
													  (int64_t)(activity.records[at].end -
																activity.records[at].start)));
	snprintf(name, sizeof(name), "%s %zu KiB: time in the call", copy->name, bytes / 1024);
	series_tell(&calls, name, "ns");
	snprintf(name, sizeof(name), "%s %zu KiB: by the wall clock", copy->name, bytes / 1024);
	series_tell(&rates, name, "MB/s");
	snprintf(name, sizeof(name), "%s %zu KiB: records for %d copies", copy->name, bytes / 1024, n);
	result_value(name, "count", (int64_t)records.count);
	snprintf(name, sizeof(name), "%s %zu KiB: by CUPTI's record", copy->name, bytes / 1024);
	series_tell(&records, name, "MB/s");
}

static void copies_run(const char *variant)
{
	void *pageable = malloc(WORK_BYTES), *pinned = NULL;
	size_t i, j;

	(void)variant;
	if (!pageable || !work_init() || !work_cupti() || !calls_subscribe() ||
		!activity_start((struct activity_options){.keep = true}) || !activity_enable(KIND_MEMCPY) ||
		!work_begin() || !result_have("cuMemcpyHtoDAsync_v2", cuda.to_device) ||
		!result_have("cuMemcpyDtoHAsync_v2", cuda.to_host) || !work.memory)
		return;
	memset(pageable, 1, WORK_BYTES);
	if (result_have("cuMemHostAlloc", cuda.host_alloc))
		result_ok("cuMemHostAlloc", cuda.host_alloc(&pinned, WORK_BYTES, 0));
	for (i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
			if (!copies[i].pinned || pinned)
				measure(&copies[i], copies[i].pinned ? pinned : pageable, sizes[j]);
	work_fixture("copies", "copies of 4 KiB, 1 MiB and 64 MiB, pageable and pinned, both ways");
}

const struct section section_copies = {"copies", "all", 1, 30, copies_run};
