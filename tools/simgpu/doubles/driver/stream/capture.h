/* Streams being captured: what is launched on them becomes nodes of a graph. A capture spreads to
 * the streams that wait for an event recorded inside it. All with the engine's lock held. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_CAPTURE_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_CAPTURE_H

#include "doubles/driver/stream/graph.h"
#include "doubles/driver/stream/stream.h"

struct plan;

struct capture {
	uint64_t id;
	int mode;
	bool invalid, over;
	uint32_t tid;
	struct stream *origin;
	struct graph *graph;
	unsigned refs;
};

struct capture *capture_hold(struct capture *capture);
void capture_drop(struct capture *capture);

int capture_begin(struct stream *stream, int mode);
int capture_end(struct stream *stream, struct graph **graph);
int capture_add(struct stream *stream, const struct plan *plan);
/* A copy of the nodes that the stream's next one depends on; free() it. */
uint32_t *capture_last(const struct stream *stream, uint32_t *n);
/* The stream joins the capture, or waits for more of it. */
int capture_join(struct stream *stream, struct capture *capture, const uint32_t *last, uint32_t n);
/* What happened must not happen while capturing: the capture is void. */
int capture_break(struct stream *stream);
/* The calling thread may do what a capture in global mode forbids, or there is none. */
int capture_allows(void);
bool capture_any(void);
/* The stream goes away. */
void capture_leave(struct stream *stream);
int capture_status(const struct stream *stream);

#endif
