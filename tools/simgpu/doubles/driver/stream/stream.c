#include "doubles/driver/stream/stream.h"

#include "doubles/driver/core/counts.h"
#include "doubles/driver/core/host_thread.h"

#include <sys/mman.h>

#define STREAMS 65536
#define LEGACY_ID 7
#define FIRST_ID 13

static struct stream *streams; /* STREAMS of them, touched as they are used */
static uint32_t n_streams;
static uint32_t ids = FIRST_ID;

/* A destroyed stream of that device whose work is over. */
static struct stream *used_place(const struct context *context)
{
	for (uint32_t i = 0; i < n_streams; i++)
		if (!streams[i].live && streams[i].context == context && !streams[i].gpu_stream->tail)
			return &streams[i];
	return NULL;
}

struct stream *stream_new(struct context *context, enum gpu_stream_kind kind)
{
	struct stream *stream = used_place(context);
	if (!stream) {
		if (n_streams == STREAMS)
			return NULL;
		stream = &streams[n_streams++];
		stream->gpu_stream = gpu_stream_new(&context->gpu, 0, kind);
	}
	stream->context = context;
	stream->gpu_stream->stream_kind = kind;
	stream->id = kind == STREAM_LEGACY ? LEGACY_ID : ids++;
	stream->gpu_stream->number = stream->id;
	stream->flags = kind == STREAM_NON_BLOCKING ? STREAM_FLAG_NON_BLOCKING : 0;
	stream->priority = 0;
	stream->count = counts_new((uint64_t)context->device << 32 | stream->id);
	stream->live = true;
	return stream;
}

int stream_open(void)
{
	streams = mmap(NULL, STREAMS * sizeof(*streams), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (streams == MAP_FAILED)
		return CUDA_OUT_OF_MEMORY;
	struct context *context;
	for (int device = 0; (context = context_of(device)); device++)
		context->legacy = stream_new(context, STREAM_LEGACY);
	return CUDA_OK;
}

struct stream *stream_at(uint32_t i)
{
	return i < n_streams ? &streams[i] : NULL;
}

void stream_destroy(struct stream *stream)
{
	stream->live = false;
}

static struct stream *per_thread_stream(struct context *context)
{
	struct host_thread *thread = host_thread();
	struct stream **place = &thread->streams[context->device];
	if (!*place)
		*place = stream_new(context, STREAM_BLOCKING);
	return *place;
}

struct stream *stream_of(const void *handle, bool per_thread)
{
	uintptr_t number = (uintptr_t)handle, from = (uintptr_t)streams;
	if (number <= HANDLE_PER_THREAD) {
		struct context *context = context_current();
		if (!context)
			return NULL;
		if (number == HANDLE_LEGACY || (!number && !per_thread))
			return context->legacy;
		return per_thread_stream(context);
	}
	uint64_t offset = number - from;
	if (number < from || offset >= n_streams * sizeof(*streams) || offset % sizeof(*streams))
		return NULL;
	struct stream *stream = &streams[offset / sizeof(*streams)];
	return stream->live && stream->gpu_stream->stream_kind != STREAM_LEGACY ? stream : NULL;
}

bool simgpu_stream_id(void *handle, void *stream, uint32_t *id)
{
	if (core_state())
		return false;
	core_lock();
	const struct stream *found = stream_of(stream, false);
	bool ours = found && (!handle || found->context == handle);
	if (ours)
		*id = found->id;
	core_unlock();
	return ours;
}

/* The legacy default stream is idle when the blocking ones are. */
static bool counts_for(const struct stream *stream, const struct gpu_stream *other)
{
	return other == stream->gpu_stream || (stream->gpu_stream->stream_kind == STREAM_LEGACY &&
										   other->stream_kind == STREAM_BLOCKING);
}

bool stream_idle(struct stream *stream)
{
	struct gpu *gpu = &stream->context->gpu;
	for (uint32_t i = 0; i < gpu->n_streams; i++)
		if (counts_for(stream, gpu->streams[i]) && gpu->streams[i]->tail)
			return false;
	return true;
}

void stream_wait(struct stream *stream)
{
	struct gpu *gpu = &stream->context->gpu;
	for (uint32_t i = 0; i < gpu->n_streams; i++)
		if (counts_for(stream, gpu->streams[i]))
			core_wait_op(gpu->streams[i]->tail, INT64_MAX);
}

bool stream_blocking_captured(const struct context *context)
{
	for (uint32_t i = 0; i < n_streams; i++)
		if (streams[i].context == context && streams[i].capture &&
			streams[i].gpu_stream->stream_kind == STREAM_BLOCKING)
			return true;
	return false;
}
