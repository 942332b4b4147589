/* The place of a stack in the code: the line that tables show for it, and whether that is the
 * project's own code (docs/ATTRIBUTION.md section 8). */
#ifndef STACKS_PLACE_H
#define STACKS_PLACE_H

#include "stacks/origin.h"
#include "stacks/stacks.h"

enum { PLACE_BYTES = 1024 };

struct place {
	enum origin origin; /* the line's origin; ORIGIN_UNKNOWN: no frame of the stack has a record */
	bool backward;
	char line[PLACE_BYTES]; /* "FILE:LINE FUNCTION"; of native code "LIBRARY FUNCTION" */
	/* for a project's line: the line of the framework that it called; else "" */
	char inside[PLACE_BYTES];
	enum origin module_origin;
	char module[PLACE_BYTES];
};

/* Fills `out` with the place of stack `index`. */
void place_of(const struct stacks *stacks, uint32_t index, struct place *out);

#endif
