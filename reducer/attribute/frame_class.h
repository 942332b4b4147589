/* The frame class of a silent thread (data loading, compiling, handing over), by the stack of its
 * sched row and the table of docs/ATTRIBUTION.md section 5. */
#ifndef ATTRIBUTE_FRAME_CLASS_H
#define ATTRIBUTE_FRAME_CLASS_H

#include "attribute/feed.h"

struct frame_class {   /* from the innermost frame that has a class */
	uint32_t mask;     /* the HOST_MASK bit of the class; 0: no frame has a class */
	uint32_t function; /* the frame's text in the trace */
	bool hands_over;   /* the innermost Python frame is of class hand_over */
};

struct place;
struct frame_classes; /* the stacks of one feed, opened when the first row needs them */

/* Finds the frame class of `stack`. *classes is NULL before the first call, which allocates it. 0
 * or -errno. */
int frame_class_find(struct frame_classes **classes, struct feed *feed, uint64_t stack,
					 struct frame_class *out);
/* The place of `stack`; none (an empty line) when the trace does not have it. 0 or -errno. */
int frame_class_place(struct frame_classes **classes, struct feed *feed, uint64_t stack,
					  struct place *out);
void frame_classes_close(struct frame_classes *classes);

#endif
