#include "doubles/cupti/observer.h"
#include "doubles/cupti/activity.h"
#include "doubles/cupti/buffers.h"
#include "doubles/cupti/callbacks.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/flights.h"
#include "doubles/cupti/identity.h"
#include <string.h>

enum { NESTING = 8, OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16 };

/* Calls in progress on this thread: a driver call inside a runtime call, and what callbacks do. */
struct frame {
	const struct sim_call *call;
	uint64_t start; /* stamp */
};
static __thread struct frame frames[NESTING];
static __thread unsigned depth;

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What the op of this call will be; 0: it makes none, or nobody wants it. Graphs make many. */
static enum kind call_makes(const struct sim_call *call)
{
	const char *name = call->function + (starts(call->function, "cuda") ? 4 : 2);
	enum kind kind = 0;

	if (call->symbol)
		kind = activity_kernel_kind(call->context_id);
	else if (starts(name, "Memcpy"))
		kind = strstr(name, "Peer") ? KIND_MEMCPY2 : KIND_MEMCPY;
	else if (starts(name, "Memset"))
		kind = KIND_MEMSET;
	return kind && activity_wants(kind, call->context_id) ? kind : 0;
}

static void note_external(const struct sim_call *call)
{
	struct entry entry = {.kind = KIND_EXTERNAL_CORRELATION, .done = true};

	if (!activity_wants(KIND_EXTERNAL_CORRELATION, 0))
		return;
	entry.external.correlation = activity_correlation(call->correlation);
	for (uint32_t kind = 1; kind < EXTERNAL_KINDS; kind++) {
		entry.external.kind = kind;
		if (external_top(kind, &entry.external.id))
			buffers_add(buffers_lane(), &entry, NULL);
	}
}

/* The record of an API call. A driver call inside a runtime call has none: Kineto of PyTorch 2.8,
 * which wants both kinds, stops at two launches with one correlation id, and does not on a GPU. */
static void note_call(const struct sim_call *call, uint64_t start)
{
	struct entry entry = {.kind = call->domain == SIM_DRIVER ? KIND_DRIVER : KIND_RUNTIME,
						  .done = true};

	bool inside = depth && frames[depth - 1].call->domain == SIM_RUNTIME;
	if ((inside && call->domain == SIM_DRIVER) || !activity_wants_call(call->domain, call->cbid))
		return;
	entry.api.cbid = call->cbid;
	entry.api.thread = identity_thread();
	entry.api.correlation = activity_correlation(call->correlation);
	entry.api.result = call->result;
	entry.api.start = start;
	entry.api.end = clock_stamp();
	buffers_add(buffers_lane(), &entry, NULL);
}

/* The queue was full. */
static void note_full(const struct sim_call *call)
{
	struct entry entry = {.kind = KIND_OVERHEAD, .done = true};
	struct clock_line line;

	if (!call->full_to_ns || !activity_wants(KIND_OVERHEAD, 0))
		return;
	entry.overhead.kind = OVERHEAD_COMMAND_BUFFER_FULL;
	line = clock_line();
	entry.overhead.start = clock_convert(&line, call->full_from_ns);
	entry.overhead.end = clock_convert(&line, call->full_to_ns);
	entry.overhead.thread = identity_thread();
	buffers_add(buffers_lane(), &entry, NULL);
}

/* An event record: its parameters begin with the event and the stream. */
static void note_event(const struct sim_call *call)
{
	const struct driver *driver = driver_ready();
	struct entry entry = {.kind = KIND_CUDA_EVENT, .done = true};
	void *handles[2];

	if (!activity_wants(KIND_CUDA_EVENT, 0) || !strstr(call->function, "EventRecord") ||
		call->result || !call->params || !driver || !driver->event_id || !driver->stream_id)
		return;
	memcpy(handles, call->params, sizeof(handles));
	entry.event.correlation = activity_correlation(call->correlation);
	entry.event.context = call->context_id;
	if (driver->event_id(handles[0], &entry.event.event) &&
		driver->stream_id(call->context, handles[1], &entry.event.stream))
		buffers_add(buffers_lane(), &entry, NULL);
}

/* The outermost call is the one that ops and external ids go with. */
static void outermost_enter(const struct sim_call *call)
{
	note_external(call);
	if (!call->correlation)
		return;
	flights_begin(call->correlation, buffers_lane(), call->begin_ns);
	if (call_makes(call))
		buffers_prepare(buffers_lane());
}

static void outermost_leave(const struct sim_call *call)
{
	struct entry entry = {.kind = call_makes(call)};
	uint32_t device;

	note_event(call);
	note_full(call);
	if (!call->correlation)
		return;
	entry.op.correlation = activity_correlation(call->correlation);
	entry.op.context = call->context_id;
	entry.op.name = call->symbol;
	if (identity_context(call->context, &entry.op.context, &device))
		entry.op.device = device;
	flights_return(call->correlation, call->result ? 0 : call->ops, entry.kind ? &entry : NULL);
}

static void observer_enter(struct sim_call *call)
{
	if (depth < NESTING)
		frames[depth] = (struct frame){call, clock_stamp()};
	if (!depth++)
		outermost_enter(call);
	callbacks_call(call, 0, activity_correlation(call->correlation));
}

/* A call that was under way when we began to watch has no frame: it is not recorded. */
static void observer_leave(struct sim_call *call)
{
	callbacks_call(call, 1, activity_correlation(call->correlation));
	if (!depth || depth > NESTING || frames[depth - 1].call != call) {
		depth -= depth > NESTING;
		return;
	}
	depth--;
	note_call(call, frames[depth].start);
	if (!depth)
		outermost_leave(call);
}

static void observer_op(const struct sim_record *record)
{
	flights_op(record);
}

static void observer_sync(const struct sim_sync *sync)
{
	struct entry entry = {.kind = KIND_SYNCHRONIZATION, .done = true};

	if (!activity_wants(KIND_SYNCHRONIZATION, 0))
		return;
	entry.sync = *sync;
	entry.sync.correlation = activity_correlation(sync->correlation);
	buffers_add(flights_lane(sync->correlation), &entry, NULL);
}

static void observer_resource(enum sim_resource_kind kind, void *context, uint32_t context_id)
{
	struct entry entry = {.kind = KIND_CONTEXT, .done = true};
	uint32_t id;

	if (kind == SIM_CONTEXT_CREATED && activity_wants(KIND_CONTEXT, 0)) {
		entry.context.id = context_id;
		identity_context(context, &id, &entry.context.device);
		buffers_add(buffers_lane(), &entry, NULL);
	}
	callbacks_resource(kind, context);
}

static const struct sim_observer watching = {observer_enter, observer_leave, observer_op,
											 observer_sync, observer_resource};

void observer_attach(void)
{
	const struct driver *driver = driver_ready();

	if (driver)
		driver->observe(&watching);
}

void observer_detach(void)
{
	const struct driver *driver = driver_ready();

	if (driver)
		driver->observe(NULL);
}
