#include "attribute/kept_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_IDS = 1 << 16, SPAN_TIMES = 8 };

static int take_room(struct kept_calls *kept, size_t rows)
{
	const size_t room = rows + rows / 4 + 1;
	free(kept->at);
	free(kept->flags);
	kept->at = malloc(room * sizeof(*kept->at));
	kept->flags = malloc(room * sizeof(*kept->flags));
	kept->room = kept->at && kept->flags ? room : 0;
	return kept->room ? 0 : -ENOMEM;
}

int kept_calls_begin(struct kept_calls *kept, size_t rows)
{
	kept->n = kept->next = 0;
	kept->span = 0;
	kept->twins = kept->far = kept->any_id = false;
	return rows > kept->most || rows < kept->room ? 0 : take_room(kept, rows);
}

/* From the first id to the last one, and some around them: launches may have been lost. */
static bool find_span(struct kept_calls *kept)
{
	uint64_t low = UINT64_MAX, high = 0;
	uint32_t launches = 0;
	for (uint32_t i = 0; i < kept->n; i++) {
		const uint64_t id = kept_calls_correlation(kept, &kept->at[i]);
		if (!id)
			continue;
		launches++;
		low = id < low ? id : low;
		high = id > high ? id : high;
	}
	low = low > NEAR_IDS ? low - NEAR_IDS : 0;
	if (launches > kept->most / 2 ||
		(launches && high - low >= SPAN_TIMES * (uint64_t)kept->n + 2 * NEAR_IDS))
		return false;
	kept->base = launches ? low : 0;
	kept->span = launches ? (size_t)(high - low) + NEAR_IDS : NEAR_IDS;
	return true;
}

static bool is_outer(const struct trace_thread *threads, const struct kept_call *call,
					 const struct kept_call *other)
{
	if (call->start != other->start)
		return call->start < other->start;
	if (call->end != other->end)
		return call->end > other->end;
	return threads[call->thread].tid < threads[other->thread].tid;
}

bool kept_calls_place(struct kept_calls *kept, const struct trace_thread *threads)
{
	if (kept->far || !find_span(kept))
		return false;
	if (kept->span > kept->of_room) {
		free(kept->of);
		kept->of = malloc(kept->span * sizeof(*kept->of));
		kept->of_room = kept->of ? kept->span : 0;
		if (!kept->of)
			return false;
	}
	memset(kept->of, 0, kept->span * sizeof(*kept->of));
	memset(kept->flags, 0, kept->n * sizeof(*kept->flags));
	for (uint32_t i = 0; i < kept->n; i++) {
		const struct kept_call *call = &kept->at[i];
		if (!call->id)
			continue;
		uint32_t *of = kept_calls_of(kept, kept->origin + call->id);
		if (*of && i - (*of - 1) >= KEPT_NEAR) /* another launch has the id by then */
			return false;
		const struct kept_call *other = *of ? &kept->at[*of - 1] : NULL;
		if (!other || is_outer(threads, call, other))
			*of = i + 1;
		else
			kept->twins |= call->start == other->start && call->end == other->end &&
						   call->thread == other->thread;
	}
	return true;
}

void kept_calls_free(struct kept_calls *kept)
{
	free(kept->at);
	free(kept->flags);
	free(kept->of);
	*kept = (struct kept_calls){0};
}
