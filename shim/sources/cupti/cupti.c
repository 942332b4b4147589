#include "sources/cupti/cupti.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/wake.h"
#include "ring/buffers.h"
#include "ring/live.h"
#include "sources/cupti/cupti_calls.h"
#include "sources/cupti/cupti_guest.h"
#include "sources/cupti/cupti_kinds.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"
#include "sources/cupti/cupti_window.h"

static void *subscriber;

void cupti_forget(void)
{
	cupti_calls_forget();
	cupti_guest_forget();
	cupti_window_forget();
}

/* ---- buffers ---- */

static void on_requested(uint8_t **bytes, size_t *size, size_t *most)
{
	size_t room = 0;
	*bytes = recording_by_cupti() ? buffers_take(&room) : NULL;
	*size = *bytes ? room : 0;
	*most = 0;
}

static void on_completed(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	(void)size;
	if (!recording_by_cupti())
		return;
	cupti_guest_deliver(context, stream, bytes, valid);
	if (!recording_takes_gpu()) { /* the guest's alone */
		buffers_pass(bytes, valid);
		return;
	}
	buffers_full(bytes, valid, context, stream);
	wake_writer();
}

/* ---- attaching ---- */

static const char *why(int error)
{
	const char *text = NULL;
	if (error == CUPTI_MULTIPLE_SUBSCRIBERS || error == CUPTI_MAX_LIMIT_REACHED)
		return "another tool (nsys, ncu, a debugger, torch.profiler) holds it";
	return cupti.result_string(error, &text) == 0 && text ? text : "unknown error";
}

static int enable_activity(void)
{
	size_t size = 1;
	uint8_t zeroed = 1;
	cupti.set_attribute(CUPTI_ATTRIBUTE_ZEROED_BUFFER, &size, &zeroed); /* not in every release */
	cupti.set_thread_id_type(CUPTI_THREAD_ID_SYSTEM);
	int error = cupti.register_callbacks(on_requested, on_completed);
	return error ? error : recording.windowed ? 0 : cupti_kinds_enable();
}

static _Atomic uint32_t tried; /* recording_generation of the last attempt */

bool cupti_tried(void)
{
	return atomic_load(&tried) == recording_generation;
}

bool cupti_attach(void)
{
	if (atomic_exchange(&tried, recording_generation) == recording_generation)
		return recording_by_cupti();
	clock_open(); /* the first call is timed before the recording begins */
	const char *missing = cupti_table_open(config.cupti);
	cupti_callback on_event = recording.windowed ? cupti_window_on_event : cupti_on_event;
	int error = missing ? 0 : cupti.subscribe(&subscriber, on_event, NULL);
	if (!missing && !error) {
		error = enable_activity();
		if (!error && !recording.windowed)
			error = cupti_calls_enable(subscriber, true);
		cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_CONTEXT_CREATED);
		if (!error && recording.by_range)
			cupti_calls_enable_range(subscriber);
		if (error)
			cupti.unsubscribe(subscriber);
	}
	if (missing || error) {
		message("CUPTI: %s; launches are recorded, GPU work is not",
				missing ? missing : why(error));
		return false;
	}
	recording_mark(RECORDING_BY_CUPTI);
	live_note_gpu();
	if (!recording_is(RECORDING_PHASES)) /* it failed meanwhile, and saw no CUPTI to give up */
		cupti_give_up();
	return true;
}

bool cupti_start(void)
{
	if (!recording_by_cupti())
		return false;
	if (cupti_kinds_enable() != 0)
		message("CUPTI: it does not record kernels; launches are recorded");
	cupti_calls_enable(subscriber, true);
	return true;
}

/* At the end of the process its last records are still to come. */
void cupti_stop(bool goes_on)
{
	if (!goes_on || !recording_by_cupti())
		return;
	cupti_calls_enable(subscriber, false);
	cupti_kinds_disable(cupti_guest_wants);
}

void cupti_give_up(void)
{
	if (!recording_by_cupti())
		return;
	cupti_stop(true);
	buffers_drop();
}

void cupti_flush(bool all)
{
	if (recording_by_cupti())
		cupti.flush_all(all ? CUPTI_FLUSH_FORCED : CUPTI_FLUSH_COMPLETED);
}

uint64_t cupti_dropped(void *context, uint32_t stream)
{
	size_t n = 0;
	if (!recording_by_cupti() || cupti.dropped(context, stream, &n) != 0)
		return 0;
	return n;
}
