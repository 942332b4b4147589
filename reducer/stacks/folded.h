/* The stacks of trace files in folded form ("outermost;...;innermost"), each with the number of
 * calls that carry it: what flame graph tools read. */
#ifndef STACKS_FOLDED_H
#define STACKS_FOLDED_H

#include "base/strings.h"
#include "stacks/stacks.h"

enum { FOLDED_FRAME_BYTES = 1024, FOLDED_FRAMES_MOST = 512 }; /* the shim records 256 */
#define FOLDED_BYTES ((FOLDED_FRAMES_MOST + 1) * FOLDED_FRAME_BYTES)

struct folded_line {
	uint32_t text; /* in the pool */
	uint64_t calls;
};

struct folded {
	struct strings pool;
	struct symbols *symbols;
	struct folded_line *lines; /* by text id - 1; folded_sort() reorders them */
	size_t n, room;
};

/* One stack into `out` (FOLDED_BYTES); its length. Frames beyond FOLDED_FRAMES_MOST are the
 * outermost: left out, and said so. */
size_t folded_text(const struct stacks *stacks, uint32_t index, char *out);

int folded_open(struct folded *folded); /* 0 or -ENOMEM */
void folded_close(struct folded *folded);

/* Adds the stacks of a trace, and the calls that carry them. 0 or -errno; damage is noted on the
 * trace. Stacks that read the same are one. */
int folded_add(struct folded *folded, struct trace *trace);

/* Most calls first, then by text. Nothing can be added afterwards. */
void folded_sort(struct folded *folded);

#endif
