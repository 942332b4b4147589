#include "sources/cupti/cupti_events.h"

#include "ring/hosted.h"
#include "ring/lane.h"
#include "sources/cupti/cupti_contexts.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"

#include <xxhash.h>

enum { KNOWN = 256, OWN_STREAMS = 2, NUMBER_BITS = 24 };

/* Streams that were met: asking CUPTI takes a lock of its own. A word has the number in its low bits
 * and a hash of the stream above: one load, no lock. Two streams of one hash are one in 2^40. */
static _Atomic uint64_t known[KNOWN];
static _Atomic uint32_t epoch; /* part of the hash: counts streams that are gone */

void cupti_events_stream_gone(void)
{
	atomic_fetch_add(&epoch, 1);
}

static uint32_t ask(const void *stream, const struct cupti_call *call, bool per_thread)
{
	uint32_t number = BATON_NO_STREAM;
	if (!cupti.stream_id ||
		cupti.stream_id(call->context, (void *)(uintptr_t)stream, per_thread, &number) != 0)
		return BATON_NO_STREAM;
	cupti_contexts_note(call->context, call->context_id);
	return number;
}

/* CUPTI's number of a stream; BATON_NO_STREAM when it does not say. A thread's own default stream is
 * not remembered: other threads have others under the same handle. */
static uint32_t number_of(const void *stream, const struct cupti_call *call, bool per_thread)
{
	const uint64_t low = ((uint64_t)1 << NUMBER_BITS) - 1;
	uint64_t key[] = {(uint64_t)(uintptr_t)stream, call->context_id, atomic_load(&epoch)};
	uint64_t hash = XXH3_64bits(key, sizeof(key)) | (low + 1); /* not that of an empty word */
	_Atomic uint64_t *at = &known[hash >> 32 & (KNOWN - 1)];
	uint64_t word = atomic_load_explicit(at, memory_order_relaxed);
	bool own = (uintptr_t)stream == OWN_STREAMS || (!stream && per_thread);
	if (!own && ((word ^ hash) & ~low) == 0)
		return (uint32_t)(word & low);
	uint32_t number = ask(stream, call, per_thread);
	if (!own && number < low)
		atomic_store_explicit(at, (hash & ~low) | number, memory_order_relaxed);
	return number;
}

void cupti_events_put(const struct baton_slot *call, const struct cupti_call *data, bool waits,
					  bool per_thread)
{
	const void *const *params = data->params; /* event, stream; of a wait the other way round */
	if (!params || call->flags & BATON_SLOT_FAILED)
		return;
	const void *stream = params[waits ? 0 : 1], *event = params[waits ? 1 : 0];
	lane_put(lane_mine,
			 (struct baton_slot){
				 .begin = call->begin,
				 .end = call->end,
				 .name = number_of(stream, data, per_thread),
				 .aux = (uint16_t)(data->context_id <= UINT16_MAX ? data->context_id : 0),
				 .type = BATON_SLOT_EVENT,
				 .flags = waits ? BATON_SYNC_STREAM_WAIT : BATON_SYNC_EVENT_RECORD,
				 .correlation = call->correlation,
				 .stack = (uint32_t)(uintptr_t)event});
}

void cupti_events_hosted(const struct cupti_call *data, bool per_thread)
{
	const struct {
		const void *stream;
		void (*function)(void *);
		void *data;
	} *params = data->params;
	if (data->site == CUPTI_ENTER && params && params->function == hosted_run)
		hosted_is_of(params->function, params->data, number_of(params->stream, data, per_thread),
					 data->context_id, data->correlation);
}
