/* The client's buffers. One is asked for when the first record of a lane is due (a lane is a
 * thread, or the process), on the thread that makes the record; entries wait here until their
 * buffer is delivered and are only then written into it. Full buffers of which all entries are done
 * go to the client from a worker thread, the others from a flush. The client is never called with
 * our lock held. */
#ifndef SIMGPU_DOUBLES_CUPTI_BUFFERS_H
#define SIMGPU_DOUBLES_CUPTI_BUFFERS_H

#include "doubles/cupti/cupti.h"
#include "doubles/cupti/render.h"

struct lane;
struct buffer;

struct slot { /* where an entry waits that is not done; stale once its buffer was delivered */
	struct buffer *buffer;
	uint64_t serial;
	unsigned index;
};

/* The calling thread's lane. */
struct lane *buffers_lane(void);
void buffers_use_threads(bool per_thread);
bool buffers_per_thread(void);
void buffers_client_zeroes(bool zeroes); /* else we do, on the thread that asks for the buffer */
bool buffers_are_zeroed(void);

/* Asks for a buffer when the lane has none. */
void buffers_prepare(struct lane *lane);
/* False: no room. `slot` may be NULL for entries that are done: one without room is then counted as
 * dropped. For an entry that waits for its op the caller decides whether it counts. */
bool buffers_add(struct lane *lane, const struct entry *entry, struct slot *slot);
/* One more that found no room. */
void buffers_dropped(void);
/* The entry that waits there is this one. False: it was of another kind and is gone, add this one.
 * True also when a forced flush has taken it: then it went out without its times. */
bool buffers_finish(const struct slot *slot, const struct entry *entry);
/* Nothing comes of it. */
void buffers_cancel(const struct slot *slot);

void buffers_callbacks(buffer_request_fn request, buffer_complete_fn complete);
bool buffers_registered(void);
void buffers_start_worker(void);
void buffers_period(uint32_t ms);
/* Forced: also buffers with entries that are not done. Returns when all are delivered. */
void buffers_flush(bool forced);
uint64_t buffers_take_dropped(void);
/* Lets go of all that waits; the client's memory is not handed back. */
void buffers_forget(void);

#endif
