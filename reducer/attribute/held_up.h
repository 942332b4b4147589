/* What held a stream up from outside its device: host functions, and producers on other devices
 * (docs/ATTRIBUTION.md section 4.4). */
#ifndef ATTRIBUTE_HELD_UP_H
#define ATTRIBUTE_HELD_UP_H

#include "attribute/opstream.h"

enum held_up_kind { HELD_UP_HOST_FUNC, HELD_UP_PEER, HELD_UP_KINDS };

/* a hold-up of another stream counts when it ended so shortly before */
#define HELD_UP_NEAR_NS 20000

struct held_up {
	int64_t end;
	uint32_t feed;
	uint32_t slot; /* the stream's number among the device's */
	enum held_up_kind kind;
};

struct held_ups {
	struct feed *feeds;
	uint32_t n_feeds;
	struct held_up *at; /* those that had not ended when the last gap did */
	size_t n, room;
};

void held_ups_open(struct held_ups *held_ups, struct feed *feeds, uint32_t n);
void held_ups_close(struct held_ups *held_ups);

/* until[kind]: until when that kind of hold-up delayed op `k`, which ends an idle interval at `b`;
 * at most b, INT64_MIN when it did not. Intervals must be passed in order of time. 0 or -errno. */
int held_up_until(struct held_ups *held_ups, const struct op *k, int64_t b,
				  int64_t until[HELD_UP_KINDS]);

/* There is none that an idle interval which ends before this instant could have to do with: it need
 * not be passed to held_up_until(). It holds until another interval is. */
static inline int64_t held_ups_none_until(const struct held_ups *h)
{
	int64_t until = h->n ? INT64_MIN : INT64_MAX;
	for (uint32_t i = 0; i < h->n_feeds; i++) {
		const struct feed *s = &h->feeds[i];
		const int64_t next = !s->syncs_left  ? INT64_MAX
							 : !s->syncs.now ? INT64_MIN
											 : rows_value(&s->syncs, SYNC_START);
		until = next < until ? next : until;
	}
	return until;
}

#endif
