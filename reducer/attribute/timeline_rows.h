/* What comes to the timelines of a feed's threads: the rows of its tables. For timeline.c alone. */
#ifndef ATTRIBUTE_TIMELINE_ROWS_H
#define ATTRIBUTE_TIMELINE_ROWS_H

#include "attribute/timeline.h"

/* feed->on_call: every call row goes to its thread's timeline. The ranges that hold where it
 * begins are known by then. 0 or -errno. */
int timelines_take_call(void *timelines, struct feed *feed, struct feed_call *call);
/* feed->on_kept: the same for kept calls. */
int timelines_take_kept(void *timelines, struct feed *feed, int64_t until);
/* The ranges, overheads and sched rows that begin at or before `until`; the second one: only the
 * sched rows. 0 or -errno. */
int timelines_load_rows(struct timelines *timelines, uint32_t feed, int64_t until);
int timelines_load_scheds(struct timelines *timelines, uint32_t feed, int64_t until);

#endif
