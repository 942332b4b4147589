#include "sources/cupti/cupti_streams.h"

#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"

#include <baton/format.h>
#include <stdatomic.h>

enum { STREAMS = 1024, NON_BLOCKING = 1 };

/* Each is written once, `key` last; 0: not yet. Further streams have no priority in the trace. */
static struct {
	_Atomic uint64_t key;
	int32_t priority;
	uint32_t kind;
} streams[STREAMS];
static _Atomic uint32_t used;

static uint64_t key_of(uint32_t context, uint32_t number)
{
	return ((uint64_t)context << 32 | number) + 1;
}

void cupti_streams_made(const struct cupti_call *call, bool prioritised)
{
	const struct {
		void **stream;
		unsigned flags;
		int priority;
	} *params = call->params;
	uint32_t number;
	if (call->site == CUPTI_ENTER || !params || !params->stream || !call->result ||
		*(const int *)call->result != 0 || !cupti.stream_id ||
		cupti.stream_id(call->context, *params->stream, false, &number) != 0)
		return;
	const uint32_t i = atomic_fetch_add(&used, 1);
	if (i >= STREAMS) {
		atomic_store(&used, STREAMS);
		return;
	}
	streams[i].priority = prioritised ? params->priority : 0;
	streams[i].kind =
		params->flags & NON_BLOCKING ? BATON_STREAM_NON_BLOCKING : BATON_STREAM_DEFAULT;
	atomic_store_explicit(&streams[i].key, key_of(call->context_id, number), memory_order_release);
}

bool cupti_streams_priority(uint32_t context, uint32_t number, int32_t *priority, uint32_t *kind)
{
	const uint32_t n = atomic_load(&used);
	for (uint32_t i = n < STREAMS ? n : STREAMS; i-- > 0;)
		if (atomic_load_explicit(&streams[i].key, memory_order_acquire) ==
			key_of(context, number)) {
			*priority = streams[i].priority;
			*kind = streams[i].kind;
			return true;
		}
	return false;
}

void cupti_streams_forget(void)
{
	for (uint32_t i = 0; i < STREAMS; i++)
		atomic_store(&streams[i].key, 0);
	atomic_store(&used, 0);
}
