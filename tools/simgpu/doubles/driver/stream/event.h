/* Events. A record is an op without time on its stream: when it ends the event has happened. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_EVENT_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_EVENT_H

#include "doubles/driver/stream/stream.h"

struct event_handle { /* a CUevent points to it; memory is kept, so that garbage can be told */
	uint32_t magic;
	uint32_t id;
	uint32_t flags;
	bool recorded;
	struct gpu_op *op; /* of the last record */
	struct stream *stream;
	uint32_t stream_id;
	struct capture *capture; /* recorded while its stream was being captured */
	uint32_t *last;
	uint32_t n_last;
	struct event_handle *next;
};

/* All with the engine's lock held. */
struct event_handle *event_new(uint32_t flags);
struct event_handle *event_of(void *handle); /* NULL: not one */
void event_destroy(struct event_handle *event);
int event_record(struct event_handle *event, struct stream *stream);
int event_query(const struct event_handle *event);
int event_wait(struct event_handle *event);
int event_elapsed(const struct event_handle *from, const struct event_handle *to, float *ms);
/* The stream's next op comes after the event. */
int event_hold_stream(struct stream *stream, const struct event_handle *event);

#endif
