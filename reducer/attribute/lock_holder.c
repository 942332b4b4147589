#include "attribute/lock_holder.h"

#include "stacks/place.h"

#include <stdio.h>
#include <string.h>

int lock_holder_name(struct frame_classes **classes, struct feed *feed, uint32_t *name)
{
	const struct rows *row = &feed->scheds;
	const uint64_t stack = (uint64_t)rows_optional(row, SCHED_HOLDER_STACK, 0);
	const uint64_t id = (uint64_t)rows_optional(row, SCHED_HOLDER, 0);
	const uint32_t thread = id ? idmap_get(&feed->trace.thread_ids, id) : 0;
	struct place place = {.line = ""};
	char text[PLACE_BYTES + 128];
	*name = 0;
	if (!thread)
		return 0;
	int error = stack ? frame_class_place(classes, feed, stack, &place) : 0;
	if (error)
		return error;
	const char *who = feed_text(feed, feed->trace.threads[thread].name);
	int n = snprintf(text, sizeof(text), "the GIL, held by %.64s%s%s", *who ? who : "a thread",
					 place.line[0] ? " at " : "", place.line);
	return feed_say(feed, text, (size_t)n, name);
}
