/* CUPTI's attributes: their values when nobody set them, which can be set, and who zeroes a buffer
 * (and what that costs the launch that asks for it). */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	"DEVICE_BUFFER_SIZE",
	"DEVICE_BUFFER_SIZE_CDP",
	"DEVICE_BUFFER_POOL_LIMIT",
	"PROFILING_SEMAPHORE_POOL_SIZE",
	"PROFILING_SEMAPHORE_POOL_LIMIT",
	"ZEROED_OUT_ACTIVITY_BUFFER",
	"DEVICE_BUFFER_PRE_ALLOCATE_VALUE",
	"PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE",
	"MEM_ALLOCATION_TYPE_HOST_PINNED",
	"PER_THREAD_ACTIVITY_BUFFER",
	"10, unnamed here",
	"11, unnamed here",
};

/* An attribute is a size_t or a uint8_t: the size that it accepts says which. */
static void tell_value(int attribute, const char *when)
{
	size_t sizes[] = {8, 4, 1}, i, bytes;
	unsigned char value[8];
	char name[96];
	int rc = 0;

	snprintf(name, sizeof(name), "%s, %s", names[attribute], when);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t number = 0;

		bytes = sizes[i];
		memset(value, 0, sizeof(value));
		rc = cupti.get_attribute(attribute, &bytes, value);
		if (rc != 0)
			continue;
		memcpy(&number, value, bytes <= sizeof(value) ? bytes : sizeof(value));
		result_text(name, "%llu (%zu bytes)", (unsigned long long)number, bytes);
		return;
	}
	result_text(name, "error %d %s", rc, cupti_error(rc));
}

static void tell_all(const char *when)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		tell_value((int)i, when);
}

static void set_byte(int attribute, uint8_t value)
{
	size_t bytes = sizeof(value);
	char name[96];
	int rc;

	if (!result_have("cuptiActivitySetAttribute", cupti.set_attribute))
		return;
	rc = cupti.set_attribute(attribute, &bytes, &value);
	snprintf(name, sizeof(name), "set %s to %d", names[attribute], value);
	result_text(name, "%s (%d)", cupti_error(rc), rc);
}

/* The launch that makes CUPTI ask for a buffer of 32 MiB pays for the zeroing, if there is one. */
static void tell_zeroing(void)
{
	size_t i, left = 0;
	int64_t from;

	if (!calls_subscribe() || !calls_enable(DOMAIN_DRIVER, CBID_LAUNCH) ||
		!activity_start((struct activity_options){.fill = true, .buffer_bytes = 32 << 20}) ||
		!activity_enable(KIND_KERNEL) || !work_begin())
		return;
	activity_flush(1);
	activity_prepare();
	from = clock_mono();
	work_empty(work.stream);
	result_value("launch that needs a new 32 MiB buffer", "ns", clock_mono() - from);
	work_sync();
	activity_flush(1);
	for (i = 0; i < activity.buffer_count; i++)
		left += activity.buffers[i].unzeroed;
	result_value("bytes left as we filled them", "bytes", (int64_t)left);
}

static void attributes_run(const char *variant)
{
	if (!work_init() || !work_cupti() ||
		!result_have("cuptiActivityGetAttribute", cupti.get_attribute))
		return;
	if (!strcmp(variant, "zeroed"))
		set_byte(ATTRIBUTE_ZEROED, 1);
	else
		tell_all("before a context");
	tell_zeroing();
	if (!strcmp(variant, "zeroed")) {
		tell_value(ATTRIBUTE_ZEROED, "after it was set");
		return;
	}
	tell_all("with a context");
	set_byte(ATTRIBUTE_PER_THREAD, 0);
	set_byte(ATTRIBUTE_PER_THREAD, 1);
	if (result_have("cuptiSetThreadIdType", cupti.set_thread_id_type))
		result_ok("cuptiSetThreadIdType(system)", cupti.set_thread_id_type(THREAD_ID_SYSTEM));
}

const struct section section_attributes = {"attributes", "default zeroed", 1, 20, attributes_run};
