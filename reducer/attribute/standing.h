/* Where a silent thread stands: in a data loader, in a compiler? By the stack of its sched row and
 * the table of docs/ATTRIBUTION.md section 5. */
#ifndef ATTRIBUTE_STANDING_H
#define ATTRIBUTE_STANDING_H

#include "attribute/source.h"

struct standing {      /* in the innermost frame that says something */
	uint32_t mask;     /* its HOST_MASK bit; 0: none does */
	uint32_t function; /* text of the trace */
};

struct stands; /* of one source: its stacks, opened when the first row asks */

/* *stands is NULL at first. 0 or -errno. */
int standing_find(struct stands **stands, struct source *source, uint64_t stack,
				  struct standing *out);
void standing_close(struct stands *stands);

#endif
