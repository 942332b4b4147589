#include "attribute/held_up.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

void held_ups_open(struct held_ups *held_ups, struct feed *feeds, uint32_t n)
{
	*held_ups = (struct held_ups){.feeds = feeds, .n_feeds = n};
}

void held_ups_close(struct held_ups *held_ups)
{
	free(held_ups->at);
	memset(held_ups, 0, sizeof(*held_ups));
}

/* The current row, when it is of a stream of the device and of a kind that holds up. */
static int take(struct held_ups *h, uint32_t index)
{
	struct feed *feed = &h->feeds[index];
	const struct rows *row = &feed->syncs;
	int64_t kind = rows_value(row, SYNC_KIND);
	uint32_t stream = idmap_get(&feed->trace.stream_ids, (uint64_t)rows_value(row, SYNC_STREAM));
	if ((kind != BATON_SYNC_HOST_FUNC && kind != BATON_SYNC_PEER) || !stream ||
		!feed->slots[stream])
		return 0;
	if (room_for((void **)&h->at, h->n, &h->room, 16, sizeof(*h->at)) != 0)
		return -ENOMEM;
	h->at[h->n++] =
		(struct held_up){.end = rows_value(row, SYNC_START) + rows_value(row, SYNC_DUR),
						 .feed = index,
						 .slot = feed->slots[stream],
						 .kind = kind == BATON_SYNC_PEER ? HELD_UP_PEER : HELD_UP_HOST_FUNC};
	return 0;
}

static int load(struct held_ups *h, int64_t until)
{
	int error = 0;
	for (uint32_t i = 0; !error && i < h->n_feeds; i++) {
		struct feed *s = &h->feeds[i];
		if (s->syncs_left && !s->syncs.now)
			s->syncs_left = rows_next(&s->syncs);
		while (!error && s->syncs_left && rows_value(&s->syncs, SYNC_START) <= until) {
			error = take(h, i);
			s->syncs_left = rows_next(&s->syncs);
		}
		error = error ? error : s->syncs.error;
	}
	return error;
}

int held_up_until(struct held_ups *h, const struct op *k, int64_t b, int64_t until[HELD_UP_KINDS])
{
	int error = load(h, b);
	size_t kept = 0;
	until[HELD_UP_HOST_FUNC] = until[HELD_UP_PEER] = INT64_MIN;
	for (size_t i = 0; i < h->n; i++) {
		const struct held_up *up = &h->at[i];
		bool own = up->feed == k->feed && up->slot == k->slot;
		bool near = up->feed == k->feed && b - up->end <= HELD_UP_NEAR_NS;
		if (up->end > b) {
			h->at[kept++] = *up; /* for a later gap */
			continue;
		}
		if ((own || near) && up->end > until[up->kind])
			until[up->kind] = up->end;
	}
	h->n = kept;
	return error;
}
