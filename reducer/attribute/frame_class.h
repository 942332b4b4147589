/* What a silent thread was in: a data loader, a compiler? By the stack of its sched row and the
 * table of docs/ATTRIBUTION.md section 5. */
#ifndef ATTRIBUTE_FRAME_CLASS_H
#define ATTRIBUTE_FRAME_CLASS_H

#include "attribute/feed.h"

struct frame_class {   /* of the innermost frame that has a class */
	uint32_t mask;     /* its HOST_MASK bit; 0: no frame has one */
	uint32_t function; /* text of the trace */
};

struct frame_classes; /* of one feed: its stacks, opened when the first row asks */

/* *classes is NULL at first. 0 or -errno. */
int frame_class_find(struct frame_classes **classes, struct feed *feed, uint64_t stack,
					 struct frame_class *out);
void frame_classes_close(struct frame_classes *classes);

#endif
