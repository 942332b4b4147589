/* Activity: which records are made, and their buffers. */
#include "doubles/cupti/activity.h"
#include "doubles/cupti/buffers.h"
#include "doubles/cupti/callbacks.h"
#include "doubles/cupti/client.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/gate.h"
#include "doubles/cupti/identity.h"
#include "doubles/cupti/knobs.h"
#include "doubles/cupti/observer.h"
#include "doubles/cupti/release.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { DEVICES = 64, FLUSH_FORCED = 1 };
enum { ATTRIBUTE_ZEROED = 5, ATTRIBUTE_PER_THREAD = 9, ATTRIBUTES = 10, PER_THREAD_SINCE = 21 };

static _Atomic uint64_t sizes[ATTRIBUTES] = {3200000, 8 << 20, 250, 65536, 250, 0, 3, 3, 0, 0};

/* One record per device, when the kind is switched on. */
static void record_devices(const struct driver *driver)
{
	static char names[DEVICES][64];
	int count = 0;

	if (!driver->device_count || !driver->device_name || driver->device_count(&count))
		return;
	for (int i = 0; i < count && i < DEVICES; i++) {
		struct entry entry = {.kind = KIND_DEVICE, .done = true};
		driver->device_name(names[i], sizeof(names[i]), i);
		entry.device.id = (uint32_t)i;
		entry.device.name = names[i];
		if (driver->device_uuid)
			driver->device_uuid(entry.device.uuid, i);
		buffers_add(buffers_lane(), &entry, NULL);
	}
}

static enum result check_kind(uint32_t kind)
{
	enum result result = gate();

	if (result)
		return result;
	return render_bytes(kind) ? OK : INVALID_KIND;
}

/* The two kinds of kernel records exclude one another. */
static bool excluded(uint32_t kind)
{
	return (kind == KIND_KERNEL && activity_is_set(KIND_CONCURRENT_KERNEL)) ||
		   (kind == KIND_CONCURRENT_KERNEL && activity_is_set(KIND_KERNEL));
}

enum result cuptiActivityEnable(uint32_t kind)
{
	enum result result = check_kind(kind);

	if (result)
		return result;
	if (excluded(kind))
		return NOT_COMPATIBLE;
	observer_attach();
	buffers_start_worker();
	activity_set(kind, true);
	if (kind == KIND_DEVICE)
		record_devices(driver_ready());
	return OK;
}

/* Ops that have ended are on their way here; what a synchronisation has waited for counts as
 * recorded, however long the thread that brings it gets no core. Only a client that holds a lock
 * which its own callbacks take waits in vain: it is told, and goes on. */
static void catch_up(void)
{
	const struct driver *driver = driver_ready();

	if (!driver || !driver->observed || client_inside())
		return;
	if (!driver->observed(knobs()->deadlock_s * 1000))
		fprintf(stderr,
				"simgpu cupti: has waited %u s for the records of ops that have ended: goes on "
				"without them\n",
				knobs()->deadlock_s);
}

enum result cuptiActivityDisable(uint32_t kind)
{
	enum result result = check_kind(kind);

	if (result)
		return result;
	catch_up();
	activity_set(kind, false);
	return OK;
}

static enum result enable_in_context(void *context, uint32_t kind, bool enable)
{
	enum result result = check_kind(kind);
	uint32_t id, device;

	if (result)
		return result;
	if (!identity_context(context, &id, &device))
		return INVALID_CONTEXT;
	if (!enable)
		catch_up();
	if (kind != KIND_KERNEL && kind != KIND_CONCURRENT_KERNEL && kind != KIND_MEMCPY &&
		kind != KIND_MEMCPY2 && kind != KIND_MEMSET)
		return NOT_COMPATIBLE;
	observer_attach();
	buffers_start_worker();
	activity_set_context(id, kind, enable);
	return OK;
}

enum result cuptiActivityEnableContext(void *context, uint32_t kind)
{
	return enable_in_context(context, kind, true);
}

enum result cuptiActivityDisableContext(void *context, uint32_t kind)
{
	return enable_in_context(context, kind, false);
}

static enum result enable_call(uint32_t domain, uint32_t limit, uint32_t cbid, bool enable)
{
	enum result result = gate();

	if (result)
		return result;
	if (!cbid || cbid >= limit)
		return INVALID_PARAMETER;
	observer_attach();
	buffers_start_worker();
	activity_set_call(domain, cbid, enable);
	return OK;
}

enum result cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
	return enable_call(DOMAIN_RUNTIME, release_here()->runtime_cbids, cbid, enable);
}

enum result cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
	return enable_call(DOMAIN_DRIVER, release_here()->driver_cbids, cbid, enable);
}

enum result cuptiActivityRegisterCallbacks(buffer_request_fn request, buffer_complete_fn complete)
{
	enum result result = gate_open();

	if (result)
		return result;
	if (!request || !complete)
		return INVALID_PARAMETER;
	buffers_callbacks(request, complete);
	return OK;
}

enum result cuptiActivityFlushAll(uint32_t flag)
{
	enum result result = gate();

	if (result)
		return result;
	if (client_inside()) {
		fprintf(stderr, "simgpu cupti: cuptiActivityFlushAll inside a CUPTI callback: refused, the "
						"real one would hang\n");
		return INVALID_OPERATION;
	}
	if (!buffers_registered())
		return INVALID_OPERATION;
	catch_up();
	buffers_flush(flag & FLUSH_FORCED);
	return OK;
}

enum result cuptiActivityFlushPeriod(uint32_t ms)
{
	enum result result = gate();

	if (result)
		return result;
	buffers_start_worker();
	buffers_period(ms);
	return OK;
}

enum result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
	enum result result = gate_open();
	uint8_t *next = buffer;
	uint32_t kind;

	if (result)
		return result;
	if (!buffer || !record)
		return INVALID_PARAMETER;
	if (*record) {
		memcpy(&kind, *record, sizeof(kind));
		next = *record + render_bytes(kind);
	}
	if (next >= buffer + valid)
		return MAX_LIMIT_REACHED;
	memcpy(&kind, next, sizeof(kind));
	if (!render_bytes(kind))
		return INVALID_KIND;
	*record = next;
	return OK;
}

enum result cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
	enum result result = gate();

	if (result)
		return result;
	if (!dropped)
		return INVALID_PARAMETER;
	/* all buffers are the process's or a thread's: only the global queue counts */
	*dropped = context || stream ? 0 : buffers_take_dropped();
	return OK;
}

/* How wide its value is; 0: this release has no such attribute. */
static size_t attribute_bytes(uint32_t attribute)
{
	if (attribute == ATTRIBUTE_PER_THREAD)
		return release_here()->version >= PER_THREAD_SINCE ? 1 : 0;
	if (attribute >= ATTRIBUTES)
		return 0;
	return attribute == ATTRIBUTE_ZEROED || attribute == 8 ? 1 : sizeof(size_t);
}

static enum result attribute_check(uint32_t attribute, const size_t *size, const void *value)
{
	enum result result = gate();

	if (result)
		return result;
	if (!size || !value || !attribute_bytes(attribute))
		return INVALID_PARAMETER;
	return *size < attribute_bytes(attribute) ? TOO_SMALL : OK;
}

enum result cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value)
{
	enum result result = attribute_check(attribute, size, value);
	uint64_t number = 0;

	if (result)
		return result;
	memcpy(&number, value, attribute_bytes(attribute));
	atomic_store(&sizes[attribute], number);
	if (attribute == ATTRIBUTE_ZEROED)
		buffers_client_zeroes(number);
	if (attribute == ATTRIBUTE_PER_THREAD)
		buffers_use_threads(number);
	return OK;
}

enum result cuptiActivityGetAttribute(uint32_t attribute, size_t *size, void *value)
{
	enum result result = attribute_check(attribute, size, value);
	uint64_t number;

	if (result)
		return result;
	number = atomic_load(&sizes[attribute]);
	if (attribute == ATTRIBUTE_PER_THREAD)
		number = buffers_per_thread();
	memcpy(value, &number, attribute_bytes(attribute));
	*size = attribute_bytes(attribute);
	return OK;
}

/* Needs hardware that is not modelled. */
enum result cuptiActivityEnableHWTrace(uint8_t enable)
{
	enum result result = gate();

	(void)enable;
	return result ? result : NOT_SUPPORTED;
}

/* Switches of details. Latency stamps are not modelled; all synchronisations are recorded anyway;
 * the device time stamps of events stay 0. */
enum result cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	enum result result = gate();

	return result ? result : enable ? NOT_SUPPORTED : OK;
}

enum result cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	(void)enable;
	return gate();
}

enum result cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	(void)enable;
	return gate();
}

enum result cuptiFinalize(void)
{
	enum result result = gate();

	if (result)
		return result;
	if (!client_inside())
		fprintf(stderr,
				"simgpu cupti: cuptiFinalize outside of a callback: the real one races with "
				"every other call\n");
	observer_detach();
	callbacks_forget();
	activity_forget();
	buffers_forget();
	return OK;
}
