/* Event records and stream waits among the calls that CUPTI tells of: which stream, which event. */
#ifndef SHIM_CUPTI_EVENTS_H
#define SHIM_CUPTI_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct baton_slot;
struct cupti_call;

/* A slot of a call, just recorded, that recorded an event (`waits`: that let a stream wait for one)
 * and worked. `per_thread`: the default stream is the thread's own in it. */
void cupti_events_put(const struct baton_slot *call, const struct cupti_call *data, bool waits,
					  bool per_thread);
/* The handles of streams may come again from now on, for others. */
void cupti_events_stream_gone(void);

/* At the begin of a driver call that gives a host function: tells it of which stream it is, if it is one
 * of ours (ring/hosted.h). */
void cupti_events_hosted(const struct cupti_call *data, bool per_thread);

#endif
