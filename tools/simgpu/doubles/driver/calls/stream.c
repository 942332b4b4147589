/* Streams, events, synchronisation, capture. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/core/delivery.h"
#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/event.h"
#include "doubles/driver/stream/graph.h"

struct stream_call {
	uint32_t cbid;
	const char *name;
	const void *params;
	void *stream;
	bool per_thread;
};

static void synced(enum sim_sync_kind kind, const struct stream *stream,
				   const struct event_handle *event, int64_t begin_ns)
{
	struct context *context = context_current();
	struct sim_sync sync = {.kind = kind,
							.start_ns = begin_ns,
							.end_ns = core.agenda.now_ns,
							.correlation = host_thread()->correlation,
							.context = context ? context->id : 0,
							.stream = stream ? stream->id : 0,
							.event = event ? event->id : 0};
	delivery_sync(&sync);
}

/* ---- streams ---- */

ENTRY(cuStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
	const struct {
		void **stream;
		unsigned flags;
		int priority;
	} params = {stream, flags, priority};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 367, "cuStreamCreateWithPriority", &params, &context);
	if (!result && flags > STREAM_FLAG_NON_BLOCKING)
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		struct stream *made = stream_new(context, flags ? STREAM_NON_BLOCKING : STREAM_BLOCKING);
		if (made)
			made->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
		core_unlock();
		*stream = made;
		result = made ? CUDA_OK : CUDA_OUT_OF_MEMORY;
	}
	return observe_leave(&call, result);
}

ENTRY(cuStreamCreate, void **stream, unsigned flags)
{
	const struct {
		void **stream;
		unsigned flags;
	} params = {stream, flags};
	struct sim_observed call;
	int result = observe_enter(&call, 124, "cuStreamCreate", &params, NULL);
	if (!result)
		result = cuStreamCreateWithPriority(stream, flags, 0);
	return observe_leave(&call, result);
}

/* A handle of a stream that may be destroyed: not one of the default ones. */
static struct stream *made_stream(void *handle)
{
	return (uintptr_t)handle > HANDLE_PER_THREAD ? stream_of(handle, false) : NULL;
}

ENTRY(cuStreamDestroy_v2, void *handle)
{
	struct sim_observed call;
	int result = observe_enter(&call, 326, "cuStreamDestroy_v2", &handle, NULL);
	if (!result) {
		context_tell(SIM_STREAM_DESTROY_STARTING, context_current());
		core_lock();
		struct stream *stream = made_stream(handle);
		if (stream) {
			capture_leave(stream);
			stream_destroy(stream);
		}
		core_unlock();
		result = stream ? CUDA_OK : CUDA_INVALID_HANDLE;
	}
	return observe_leave(&call, result);
}

typedef int on_stream(struct stream *stream, void *what);

/* One call about one stream: finds it, does `act` under the lock. */
static int with_stream(const struct stream_call *what, on_stream *act, void *argument)
{
	struct sim_observed call;
	int result = observe_enter(&call, what->cbid, what->name, what->params, NULL);
	if (!result) {
		core_lock();
		struct stream *stream = stream_of(what->stream, what->per_thread);
		result = stream ? act(stream, argument) : CUDA_INVALID_HANDLE;
		core_unlock();
	}
	return observe_leave(&call, result);
}

static int synchronize(struct stream *stream, void *unused)
{
	int64_t begin_ns = core.agenda.now_ns;
	(void)unused;
	if (stream->capture)
		return capture_break(stream);
	stream_wait(stream);
	synced(SIM_SYNC_STREAM, stream, NULL, begin_ns);
	return CUDA_OK;
}

static int query(struct stream *stream, void *unused)
{
	(void)unused;
	if (stream->capture)
		return capture_break(stream);
	return stream_idle(stream) ? CUDA_OK : CUDA_NOT_READY;
}

static int record(struct stream *stream, void *event)
{
	return event_record(event, stream);
}

static int hold(struct stream *stream, void *event)
{
	int64_t now = core.agenda.now_ns;
	int result = event_hold_stream(stream, event);
	if (!result && !stream->capture)
		synced(SIM_SYNC_STREAM_WAIT, stream, event, now);
	return result;
}

#define STREAM_ENTRY(name_, cbid_, act_, per_thread_)                            \
	ENTRY(name_, void *stream)                                                   \
	{                                                                            \
		struct stream_call what = {cbid_, #name_, &stream, stream, per_thread_}; \
		return with_stream(&what, act_, NULL);                                   \
	}

STREAM_ENTRY(cuStreamSynchronize, 126, synchronize, false)
STREAM_ENTRY(cuStreamSynchronize_ptsz, 440, synchronize, true)
STREAM_ENTRY(cuStreamQuery, 125, query, false)
STREAM_ENTRY(cuStreamQuery_ptsz, 439, query, true)

#define RECORD_ENTRY(name_, cbid_, per_thread_)                                           \
	ENTRY(name_, void *event, void *stream)                                               \
	{                                                                                     \
		const struct {                                                                    \
			void *event, *stream;                                                         \
		} params = {event, stream};                                                       \
		struct stream_call what = {cbid_, #name_, &params, stream, per_thread_};          \
		return event_of(event) ? with_stream(&what, record, event) : CUDA_INVALID_HANDLE; \
	}

RECORD_ENTRY(cuEventRecord, 119, false)
RECORD_ENTRY(cuEventRecord_ptsz, 441, true)

#define RECORD_FLAGS_ENTRY(name_, cbid_, per_thread_)                                     \
	ENTRY(name_, void *event, void *stream, unsigned flags)                               \
	{                                                                                     \
		const struct {                                                                    \
			void *event, *stream;                                                         \
			unsigned flags;                                                               \
		} params = {event, stream, flags};                                                \
		struct stream_call what = {cbid_, #name_, &params, stream, per_thread_};          \
		return event_of(event) ? with_stream(&what, record, event) : CUDA_INVALID_HANDLE; \
	}

RECORD_FLAGS_ENTRY(cuEventRecordWithFlags, 587, false)
RECORD_FLAGS_ENTRY(cuEventRecordWithFlags_ptsz, 588, true)

#define WAIT_ENTRY(name_, cbid_, per_thread_)                                           \
	ENTRY(name_, void *stream, void *event, unsigned flags)                             \
	{                                                                                   \
		const struct {                                                                  \
			void *stream, *event;                                                       \
			unsigned flags;                                                             \
		} params = {stream, event, flags};                                              \
		struct stream_call what = {cbid_, #name_, &params, stream, per_thread_};        \
		return event_of(event) ? with_stream(&what, hold, event) : CUDA_INVALID_HANDLE; \
	}

WAIT_ENTRY(cuStreamWaitEvent, 295, false)
WAIT_ENTRY(cuStreamWaitEvent_ptsz, 436, true)

static int get_flags(struct stream *stream, void *flags)
{
	*(unsigned *)flags = stream->flags;
	return CUDA_OK;
}

static int get_priority(struct stream *stream, void *priority)
{
	*(int *)priority = stream->priority;
	return CUDA_OK;
}

static int get_id(struct stream *stream, void *id)
{
	*(uint64_t *)id = stream->id;
	return CUDA_OK;
}

static int get_context(struct stream *stream, void *context)
{
	*(void **)context = stream->context;
	return CUDA_OK;
}

#define GETTER_ENTRY(name_, cbid_, act_, type_)                            \
	ENTRY(name_, void *stream, type_ *out)                                 \
	{                                                                      \
		struct stream_call what = {cbid_, #name_, &stream, stream, false}; \
		return out ? with_stream(&what, act_, out) : CUDA_INVALID_VALUE;   \
	}

GETTER_ENTRY(cuStreamGetFlags, 369, get_flags, unsigned)
GETTER_ENTRY(cuStreamGetPriority, 368, get_priority, int)
GETTER_ENTRY(cuStreamGetId, 693, get_id, unsigned long long)
GETTER_ENTRY(cuStreamGetCtx, 483, get_context, void *)

/* ---- events ---- */

ENTRY(cuEventCreate, void **event, unsigned flags)
{
	const struct {
		void **event;
		unsigned flags;
	} params = {event, flags};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 118, "cuEventCreate", &params, &context);
	if (!result) {
		core_lock();
		*event = event_new(flags);
		core_unlock();
	}
	return observe_leave(&call, result);
}

typedef int on_event(struct event_handle *event);

static int with_event(uint32_t cbid, const char *name, void *handle, on_event *act)
{
	struct sim_observed call;
	int result = observe_enter(&call, cbid, name, &handle, NULL);
	if (!result) {
		core_lock();
		struct event_handle *event = event_of(handle);
		result = event ? act(event) : CUDA_INVALID_HANDLE;
		core_unlock();
	}
	return observe_leave(&call, result);
}

static int destroy_event(struct event_handle *event)
{
	event_destroy(event);
	return CUDA_OK;
}

static int query_event(struct event_handle *event)
{
	return event_query(event);
}

static int wait_event(struct event_handle *event)
{
	int64_t begin_ns = core.agenda.now_ns;
	uint32_t stream_id = event->stream_id;
	int result = event_wait(event);
	struct stream named = {.id = stream_id};
	if (!result)
		synced(SIM_SYNC_EVENT, &named, event, begin_ns);
	return result;
}

ENTRY(cuEventDestroy_v2, void *event)
{
	return with_event(325, "cuEventDestroy_v2", event, destroy_event);
}

ENTRY(cuEventQuery, void *event)
{
	return with_event(120, "cuEventQuery", event, query_event);
}

ENTRY(cuEventSynchronize, void *event)
{
	return with_event(121, "cuEventSynchronize", event, wait_event);
}

ENTRY(cuEventElapsedTime, float *ms, void *from, void *to)
{
	const struct {
		float *ms;
		void *from, *to;
	} params = {ms, from, to};
	struct sim_observed call;
	int result = observe_enter(&call, 123, "cuEventElapsedTime", &params, NULL);
	if (!result && (!event_of(from) || !event_of(to)))
		result = CUDA_INVALID_HANDLE;
	if (!result) {
		core_lock();
		result = event_elapsed(from, to, ms);
		core_unlock();
	}
	return observe_leave(&call, result);
}

ENTRY(cuEventElapsedTime_v2, float *ms, void *from, void *to)
{
	return cuEventElapsedTime(ms, from, to);
}

/* ---- the whole device ---- */

ENTRY(cuCtxSynchronize, void)
{
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, 17, "cuCtxSynchronize", NULL, &context);
	if (!result) {
		core_lock();
		int64_t begin_ns = core.agenda.now_ns;
		result = capture_allows();
		if (!result) {
			context_wait(context, INT64_MAX);
			synced(SIM_SYNC_CONTEXT, NULL, NULL, begin_ns);
		}
		core_unlock();
	}
	return observe_leave(&call, result);
}

/* Or nobody delivers any more: the process ends. */
static bool delivered(void *n)
{
	return delivery_arrived(*(uint64_t *)n) || core_state();
}

bool simgpu_settle(unsigned ms)
{
	if (core_state())
		return true;
	int64_t until_ns = core_now() + (int64_t)ms * 1000000;
	bool over = true;
	core_lock();
	for (int i = 0; over && i < settings()->devices; i++)
		over = context_wait(context_of(i), until_ns);
	uint64_t queued = delivery_queued();
	over = over && core_wait(delivered, &queued, until_ns);
	core_unlock();
	return over;
}

bool simgpu_observed(unsigned ms)
{
	if (core_state())
		return true;
	int64_t until_ns = core_now() + (int64_t)ms * 1000000;
	core_lock();
	uint64_t queued = delivery_queued();
	bool all = core_wait(delivered, &queued, until_ns);
	core_unlock();
	return all;
}

/* ---- capture ---- */

static int begin_capture(struct stream *stream, void *mode)
{
	return capture_begin(stream, *(int *)mode);
}

static int end_capture(struct stream *stream, void *graph)
{
	return capture_end(stream, graph);
}

static int is_capturing(struct stream *stream, void *status)
{
	if (stream->gpu_stream->stream_kind == STREAM_LEGACY &&
		stream_blocking_captured(stream->context))
		return CUDA_CAPTURE_IMPLICIT;
	*(int *)status = capture_status(stream);
	return CUDA_OK;
}

#define CAPTURE_ENTRY(name_, cbid_, act_, type_, pass_, per_thread_)             \
	ENTRY(name_, void *stream, type_ argument)                                   \
	{                                                                            \
		const struct {                                                           \
			void *stream;                                                        \
			type_ argument;                                                      \
		} params = {stream, argument};                                           \
		struct stream_call what = {cbid_, #name_, &params, stream, per_thread_}; \
		return with_stream(&what, act_, pass_ argument);                         \
	}

CAPTURE_ENTRY(cuStreamBeginCapture_v2, 539, begin_capture, int, &, false)
CAPTURE_ENTRY(cuStreamBeginCapture_v2_ptsz, 540, begin_capture, int, &, true)
CAPTURE_ENTRY(cuStreamEndCapture, 497, end_capture, void *, , false)
CAPTURE_ENTRY(cuStreamEndCapture_ptsz, 498, end_capture, void *, , true)
CAPTURE_ENTRY(cuStreamIsCapturing, 499, is_capturing, int *, , false)
CAPTURE_ENTRY(cuStreamIsCapturing_ptsz, 500, is_capturing, int *, , true)

struct capture_info {
	int *status;
	uint64_t *id;
	void **graph;
};

static int capture_info(struct stream *stream, void *out)
{
	struct capture_info *info = out;
	int failed = is_capturing(stream, info->status);
	if (failed || *info->status != CAPTURE_ACTIVE)
		return failed;
	if (info->id)
		*info->id = stream->capture->id;
	if (info->graph)
		*info->graph = stream->capture->graph;
	return CUDA_OK;
}

/* Dependencies are not told: *n is 0. */
ENTRY(cuStreamGetCaptureInfo_v2, void *stream, int *status, uint64_t *id, void **graph,
	  const void ***dependencies, size_t *n)
{
	struct capture_info info = {status, id, graph};
	struct stream_call what = {629, "cuStreamGetCaptureInfo_v2", &stream, stream, false};
	if (dependencies)
		*dependencies = NULL;
	if (n)
		*n = 0;
	return status ? with_stream(&what, capture_info, &info) : CUDA_INVALID_VALUE;
}

ENTRY(cuStreamGetCaptureInfo_v3, void *stream, int *status, uint64_t *id, void **graph,
	  const void ***dependencies, const void **edges, size_t *n)
{
	if (edges)
		*edges = NULL;
	return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, n);
}

int simgpu_exchange_capture_mode(int mode)
{
	struct host_thread *thread = host_thread();
	int before = thread->capture_mode;
	thread->capture_mode = mode;
	return before;
}

ENTRY(cuThreadExchangeStreamCaptureMode, int *mode)
{
	if (!mode || *mode < CAPTURE_GLOBAL || *mode > CAPTURE_RELAXED)
		return CUDA_INVALID_VALUE;
	*mode = simgpu_exchange_capture_mode(*mode);
	return core_state();
}
