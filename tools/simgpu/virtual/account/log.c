#include "virtual/account/log.h"

#include "engine/room.h"

static void add(struct log *log, struct segment segment)
{
	if (segment.to_ns <= segment.from_ns)
		return;
	struct segment *last = log->n ? &log->at[log->n - 1] : NULL;
	if (last && last->to_ns == segment.from_ns && last->cause == segment.cause &&
		last->other == segment.other && last->holder == segment.holder) {
		last->to_ns = segment.to_ns;
		return;
	}
	log->at = room_for(log->at, log->n, &log->room, 64, sizeof(*log->at));
	log->at[log->n++] = segment;
}

void log_add(struct log *log, int64_t from_ns, int64_t to_ns, enum cause cause, struct log *other)
{
	add(log, (struct segment){from_ns, to_ns, cause, other, 0});
}

void log_add_gil(struct log *log, int64_t from_ns, int64_t to_ns, uint32_t holder)
{
	add(log, (struct segment){from_ns, to_ns, CAUSE_GIL, NULL, holder});
}

size_t log_find(const struct log *log, int64_t at_ns)
{
	size_t low = 0, high = log->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (log->at[middle].to_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
