/* Directories with installed packages that no name tells (pip install --target DIR): those beside an
 * installed torch (docs/ATTRIBUTION.md section 8). */
#ifndef STACKS_PACKAGES_H
#define STACKS_PACKAGES_H

#include "stacks/origin.h"
#include "stacks/stacks.h"

/* Finds those of a trace whose records are read. */
void packages_find(struct stacks *stacks);

/* The origin of a Python frame that has a file, as origin_of() says it; `module` has `room` bytes. */
enum origin packages_origin(const struct stacks *stacks, uint32_t index, uint32_t frame,
							char *module, size_t room);

/* The text of a frame without such a directory, or what else stands before an installed package. */
const char *packages_cut(const struct stacks *stacks, const char *text);

#endif
