/* Does another process share the device? Then launched work starts on an idle GPU in regular slices
 * (docs/ATTRIBUTION.md section 4.2). */
#ifndef ATTRIBUTE_SLICES_H
#define ATTRIBUTE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SLICE_LATE_NS = 100000, /* from a launch's end to its start, beyond what a launch takes here */
	SLICES_MOST = 256
};

struct slices {              /* gaps of the device that end with launched work that did not start */
	int64_t ns[SLICES_MOST]; /* their lengths, of the first ones */
	int64_t late_ns[SLICES_MOST]; /* from the launch's end to the start */
	uint64_t kernels[SLICES_MOST];
	size_t n;
};

/* `kernel`: the feed and the name of the op that ended it. Nothing that is late by less than
 * SLICE_LATE_NS is kept. */
void slices_add(struct slices *slices, int64_t ns, int64_t late_ns, uint64_t kernel);
/* Keeps those that are later than that beyond `lag_ns`, the shortest from a launch's begin to its
 * start: an interpreter or a virtual machine between program and GPU delays every launch. */
void slices_keep_late(struct slices *slices, int64_t lag_ns);
bool slices_shared(const struct slices *slices);

#endif
