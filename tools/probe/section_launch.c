/* What one cuLaunchKernel costs the launching thread, bare and with each part of CUPTI. Every
 * variant has its own process, for CUPTI never quite leaves one; the parent runs them in turn. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 200 }; /* far below the depth at which a launch blocks */

static bool is(const char *variant, const char *other)
{
	return strcmp(variant, other) == 0;
}

/* What the recorder asks for, and buffers that it zeroed itself. */
static bool attach_recorder(void)
{
	static const int kinds[] = {KIND_MEMCPY,          KIND_MEMCPY2,    KIND_MEMSET,
								KIND_SYNCHRONIZATION, KIND_CUDA_EVENT, KIND_OVERHEAD};
	uint8_t zeroed = 1;
	size_t bytes = sizeof(zeroed), i;

	if (result_have("cuptiActivitySetAttribute", cupti.set_attribute))
		result_ok("set ZEROED_OUT_ACTIVITY_BUFFER",
				  cupti.set_attribute(ATTRIBUTE_ZEROED, &bytes, &zeroed));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		activity_enable(kinds[i]);
	return true;
}

static bool attach(const char *variant)
{
	bool all = is(variant, "both") || is(variant, "left") || is(variant, "recorder");
	bool activities = all || is(variant, "kernel"), callbacks = all || is(variant, "callback");

	if (is(variant, "bare"))
		return work_init_plain();
	if (!work_init() || !work_cupti() || !calls_subscribe_counting())
		return false;
	if (callbacks && !calls_enable(DOMAIN_DRIVER, CBID_LAUNCH))
		return false;
	if (!activities)
		return true;
	return activity_start((struct activity_options){.buffer_bytes = 4 << 20, .count_only = true}) &&
		   activity_enable(KIND_KERNEL) && (!is(variant, "recorder") || attach_recorder());
}

/* Attached, used, then let go again: what is left of it. */
static void leave(void)
{
	work_empty(work.stream);
	work_sync();
	if (result_have("cuptiActivityDisable", cupti.disable))
		result_ok("cuptiActivityDisable", cupti.disable(KIND_KERNEL));
	activity_flush(1);
	calls_unsubscribe();
}

static void measure(struct series *costs)
{
	int batch, i, batches = work_repeats(20);
	int64_t last, now;

	series_reserve(costs, (size_t)batches * BATCH);
	for (batch = 0; batch < batches; batch++) {
		last = clock_mono();
		for (i = 0; i < BATCH; i++) {
			if (work_empty(work.stream) != 0)
				return;
			now = clock_mono();
			series_add(costs, now - last);
			last = now;
		}
		if (!work_sync())
			return;
	}
}

static void launch_run(const char *variant)
{
	struct series costs = {0};
	char name[64], difference[80];
	int64_t from = clock_mono();

	if (!attach(variant) || !work_begin())
		return;
	if (is(variant, "bare"))
		result_value("start of a process without CUPTI", "ns", clock_mono() - from);
	if (is(variant, "both"))
		result_value("start of a process with CUPTI", "ns", clock_mono() - from);
	if (is(variant, "left"))
		leave();
	measure(&costs);
	snprintf(name, sizeof(name), "cuLaunchKernel, %s", variant);
	series_tell(&costs, name, "ns");
	if (!is(variant, "bare")) {
		snprintf(difference, sizeof(difference), "cost of: %s", variant);
		result_difference(difference, name, "cuLaunchKernel, bare");
	}
	if (is(variant, "callback") || is(variant, "both"))
		result_value("callbacks seen", "count", (int64_t)calls_counted);
	if (is(variant, "kernel") || is(variant, "both")) {
		result_value("flush afterwards", "ns", activity_flush(1));
		result_value("buffers completed", "count", (int64_t)activity.buffer_count);
	}
}

const struct section section_launch = {
	"launch", "bare subscriber callback kernel both recorder left", 3, 20, launch_run};
