/* The stacks of trace files in folded form ("outermost;...;innermost"), each with the number of
 * calls that have it. Flame graph tools read this form. */
#ifndef STACKS_FOLDED_H
#define STACKS_FOLDED_H

#include "base/strings.h"
#include "stacks/stacks.h"

/* the recorder keeps at most 256 frames */
enum { FOLDED_FRAME_BYTES = 1024, FOLDED_FRAMES_MOST = 512 };
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

/* Writes stack `index` to `out`, which has FOLDED_BYTES, and returns the length. When a stack has
 * more than FOLDED_FRAMES_MOST frames, the outermost ones are left out, and the text says so. */
size_t folded_text(const struct stacks *stacks, uint32_t index, char *out);

int folded_open(struct folded *folded); /* 0 or -ENOMEM */
void folded_close(struct folded *folded);

/* Adds the stacks of a trace and the number of calls that have them. Stacks with the same text
 * become one. Damage is noted on the trace. 0 or -errno. */
int folded_add(struct folded *folded, struct trace *trace);

/* Sorts the lines: most calls first, then by text. Nothing can be added afterwards. */
void folded_sort(struct folded *folded);

#endif
