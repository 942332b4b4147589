/* Where a stack stands in the code: the line that a table names for it, and whose code that is
 * (docs/ATTRIBUTION.md section 8). */
#ifndef STACKS_PLACE_H
#define STACKS_PLACE_H

#include "stacks/origin.h"
#include "stacks/stacks.h"

enum { PLACE_BYTES = 1024 };

struct place {
	enum origin origin; /* of the line; ORIGIN_UNKNOWN: the stack has no frame with a record */
	bool backward;
	char line[PLACE_BYTES];   /* "FILE:LINE FUNCTION", native: "LIBRARY FUNCTION" */
	char inside[PLACE_BYTES]; /* of a project's line: where in a framework that it called; or "" */
	enum origin module_origin;
	char module[PLACE_BYTES];
};

/* The place of stack `index`. */
void place_of(const struct stacks *stacks, uint32_t index, struct place *out);

#endif
