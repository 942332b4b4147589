/* Streams as CUDA hands them out: places in one table, so that a handle can be told from garbage.
 * A destroyed stream's place is used again once its work is over. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_STREAM_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_STREAM_H

#include "doubles/driver/stream/context.h"

struct capture;

struct stream {
	struct context *context;
	struct gpu_stream *gpu_stream;
	uint32_t id; /* CUPTI's: 7 the legacy one, others from 13 on */
	uint32_t flags;
	int priority;
	bool live;
	struct capture *capture; /* being captured */
	uint32_t *last;          /* captured: nodes the next one depends on */
	uint32_t n_last, last_room;
	uint32_t count; /* its row in the counts of ops */
};

/* After context_open(): the table, and each device's legacy default stream. 0 or the CUresult. */
int stream_open(void);
/* Lock held. */
struct stream *stream_new(struct context *context, enum gpu_stream_kind kind);
/* It is in no capture any more. */
void stream_destroy(struct stream *stream);
/* The i-th place of the table, live or not; NULL past the last. */
struct stream *stream_at(uint32_t i);
/* Lock held: the stream a handle means to this thread; `per_thread` says what NULL is. NULL when
 * it is none of ours or there is no context. */
struct stream *stream_of(const void *handle, bool per_thread);
/* Lock held: everything submitted so far is over. */
bool stream_idle(struct stream *stream);
/* Lock held: waits for everything submitted so far. */
void stream_wait(struct stream *stream);
/* Lock held: a blocking stream of the device is being captured. */
bool stream_blocking_captured(const struct context *context);

#endif
