#include "doubles/driver/stream/capture.h"

#include "doubles/driver/core/host_thread.h"
#include "doubles/driver/stream/op.h"
#include "engine/room.h"

#include <stdlib.h>
#include <string.h>

static uint64_t ids;
static unsigned running;        /* captures */
static unsigned running_global; /* in global mode: bind every thread */

struct capture *capture_hold(struct capture *capture)
{
	if (capture)
		capture->refs++;
	return capture;
}

void capture_drop(struct capture *capture)
{
	if (!capture || --capture->refs)
		return;
	graph_drop(capture->graph);
	free(capture);
}

static void enter(struct stream *stream, struct capture *capture)
{
	stream->capture = capture_hold(capture);
	stream->n_last = 0;
}

void capture_leave(struct stream *stream)
{
	struct capture *capture = stream->capture;
	stream->capture = NULL;
	stream->n_last = 0;
	if (capture && capture->origin == stream) {
		capture->origin = NULL;
		running--;
		running_global -= capture->mode == CAPTURE_GLOBAL;
	}
	capture_drop(capture);
}

int capture_begin(struct stream *stream, int mode)
{
	if (stream->gpu_stream->stream_kind == STREAM_LEGACY)
		return CUDA_CAPTURE_UNSUPPORTED;
	if (stream->capture || mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED)
		return stream->capture ? CUDA_ILLEGAL_STATE : CUDA_INVALID_VALUE;
	struct capture *capture = must(calloc(1, sizeof(*capture)));
	*capture = (struct capture){.id = ++ids,
								.mode = mode,
								.tid = host_thread()->tid,
								.origin = stream,
								.graph = graph_new()};
	running++;
	running_global += mode == CAPTURE_GLOBAL;
	enter(stream, capture);
	return CUDA_OK;
}

static void add_last(struct stream *stream, uint32_t node)
{
	for (uint32_t i = 0; i < stream->n_last; i++)
		if (stream->last[i] == node)
			return;
	stream->last =
		room_for(stream->last, stream->n_last, &stream->last_room, 4, sizeof(*stream->last));
	stream->last[stream->n_last++] = node;
}

int capture_add(struct stream *stream, const struct plan *plan)
{
	struct capture *capture = stream->capture;
	if (capture->invalid)
		return CUDA_CAPTURE_INVALIDATED;
	uint32_t node = graph_add(capture->graph, plan, stream->last, stream->n_last);
	stream->n_last = 0;
	add_last(stream, node);
	host_thread()->captured = true;
	return CUDA_OK;
}

uint32_t *capture_last(const struct stream *stream, uint32_t *n)
{
	uint32_t *copy = must(malloc((stream->n_last + 1) * sizeof(*copy)));
	if (stream->n_last)
		memcpy(copy, stream->last, stream->n_last * sizeof(*copy));
	*n = stream->n_last;
	return copy;
}

int capture_join(struct stream *stream, struct capture *capture, const uint32_t *last, uint32_t n)
{
	if (capture->over)
		return CUDA_CAPTURED_EVENT;
	if (stream->gpu_stream->stream_kind == STREAM_LEGACY)
		return CUDA_CAPTURE_IMPLICIT;
	if (stream->capture && stream->capture != capture)
		return CUDA_CAPTURE_MERGE;
	if (!stream->capture)
		enter(stream, capture);
	for (uint32_t i = 0; i < n; i++)
		add_last(stream, last[i]);
	return CUDA_OK;
}

int capture_break(struct stream *stream)
{
	stream->capture->invalid = true;
	return CUDA_CAPTURE_UNSUPPORTED;
}

int capture_allows(void)
{
	if (running_global && host_thread()->capture_mode != CAPTURE_RELAXED)
		return CUDA_CAPTURE_UNSUPPORTED;
	return CUDA_OK;
}

bool capture_any(void)
{
	return running;
}

int capture_status(const struct stream *stream)
{
	if (!stream->capture)
		return CAPTURE_NONE;
	return stream->capture->invalid ? CAPTURE_INVALID : CAPTURE_ACTIVE;
}

/* Every stream that joined must have come back: its last nodes lie before the origin's. */
static bool all_joined(const struct capture *capture)
{
	struct stream *origin = capture->origin;
	struct graph *graph = capture->graph;
	bool *before = must(calloc(graph->n + 1, sizeof(*before))), joined = true;
	for (uint32_t i = 0; i < origin->n_last; i++)
		before[origin->last[i]] = true;
	for (uint32_t i = graph->n; i-- > 0;)
		for (uint32_t d = 0; before[i] && d < graph->nodes[i]->n_after; d++)
			before[graph->nodes[i]->after[d]] = true;
	for (uint32_t i = 0; i < graph->n; i++)
		joined = joined && (before[i] || graph->nodes[i]->followed);
	free(before);
	return joined;
}

static int verdict(const struct stream *stream)
{
	const struct capture *capture = stream->capture;
	if (capture->mode != CAPTURE_RELAXED && capture->tid != host_thread()->tid)
		return CUDA_CAPTURE_WRONG_THREAD;
	if (capture->invalid)
		return CUDA_CAPTURE_INVALIDATED;
	return all_joined(capture) ? CUDA_OK : CUDA_CAPTURE_UNJOINED;
}

int capture_end(struct stream *stream, struct graph **graph)
{
	struct capture *capture = stream->capture;
	*graph = NULL;
	if (!capture)
		return CUDA_ILLEGAL_STATE;
	if (capture->origin != stream)
		return CUDA_CAPTURE_UNMATCHED;
	int result = verdict(stream);
	if (result == CUDA_CAPTURE_WRONG_THREAD)
		return result;
	capture_hold(capture);
	capture->over = true;
	struct stream *member;
	for (uint32_t i = 0; (member = stream_at(i)); i++)
		if (member->capture == capture)
			capture_leave(member);
	if (!result) {
		*graph = capture->graph;
		(*graph)->refs++;
	}
	capture_drop(capture);
	return result;
}
