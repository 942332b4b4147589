#include "doubles/driver/stream/event.h"

#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/op.h"
#include "engine/room.h"

#include <stdlib.h>

#define EVENT_MAGIC 0x45564e54u

static struct event_handle *free_events;
static uint32_t ids;

struct event_handle *event_new(uint32_t flags)
{
	struct event_handle *event = free_events;
	if (event)
		free_events = event->next;
	else
		event = must(malloc(sizeof(*event)));
	*event = (struct event_handle){.magic = EVENT_MAGIC, .id = ++ids, .flags = flags};
	return event;
}

struct event_handle *event_of(void *handle)
{
	struct event_handle *event = handle;
	return event && event->magic == EVENT_MAGIC ? event : NULL;
}

bool simgpu_event_id(void *handle, uint32_t *id)
{
	if (core_state())
		return false;
	core_lock();
	const struct event_handle *event = event_of(handle);
	if (event)
		*id = event->id;
	core_unlock();
	return event != NULL;
}

static void forget(struct event_handle *event)
{
	gpu_op_drop(event->op);
	event->op = NULL;
	capture_drop(event->capture);
	event->capture = NULL;
	free(event->last);
	event->last = NULL;
	event->n_last = 0;
}

void event_destroy(struct event_handle *event)
{
	forget(event);
	event->magic = 0;
	event->next = free_events;
	free_events = event;
}

int event_record(struct event_handle *event, struct stream *stream)
{
	forget(event);
	event->recorded = true;
	event->stream = stream;
	event->stream_id = stream->id;
	if (stream->capture) {
		event->capture = capture_hold(stream->capture);
		event->last = capture_last(stream, &event->n_last);
		return CUDA_OK;
	}
	event->op = gpu_op_hold(op_mark(stream, NULL, true));
	return CUDA_OK;
}

int event_query(const struct event_handle *event)
{
	if (event->capture)
		return CUDA_CAPTURED_EVENT;
	return event->op && !event->op->ended ? CUDA_NOT_READY : CUDA_OK;
}

int event_wait(struct event_handle *event)
{
	if (event->capture)
		return CUDA_CAPTURED_EVENT;
	core_wait_op(event->op, INT64_MAX);
	return CUDA_OK;
}

int event_elapsed(const struct event_handle *from, const struct event_handle *to, float *ms)
{
	if (!from->op || !to->op || ((from->flags | to->flags) & EVENT_FLAG_NO_TIMING))
		return CUDA_INVALID_HANDLE;
	if (!from->op->ended || !to->op->ended)
		return CUDA_NOT_READY;
	*ms = (float)((double)(to->op->end_ns - from->op->end_ns) / 1e6);
	return CUDA_OK;
}

int event_hold_stream(struct stream *stream, const struct event_handle *event)
{
	if (event->capture)
		return capture_join(stream, event->capture, event->last, event->n_last);
	if (stream->capture)
		return event->recorded ? CUDA_CAPTURE_ISOLATION : CUDA_OK;
	if (event->op && !event->op->ended)
		op_mark(stream, event->op, false);
	return CUDA_OK;
}
