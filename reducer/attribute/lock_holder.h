/* What a thread waited for that slept until it could get Python's lock: the thread that had it, and
 * where that one stood. */
#ifndef ATTRIBUTE_LOCK_HOLDER_H
#define ATTRIBUTE_LOCK_HOLDER_H

#include "attribute/frame_class.h"

/* The name of the current sched row's sleep, for feed_text(): "the GIL, held by THREAD at
 * LINE". 0: the row has no holder. `classes` as in frame_class_find(). 0 or -errno. */
int lock_holder_name(struct frame_classes **classes, struct feed *feed, uint32_t *name);

#endif
