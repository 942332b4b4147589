/* Does another process share the device? Then launched work starts on an idle GPU in regular slices
 * (docs/ATTRIBUTION.md section 4.2). */
#ifndef ATTRIBUTE_SLICES_H
#define ATTRIBUTE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SLICE_LATE_NS = 100000, /* from a launch's end to its start: no launch path takes so long */
	SLICES_MOST = 256
};

struct slices {              /* gaps of the device that end with launched work that did not start */
	int64_t ns[SLICES_MOST]; /* their lengths, of the first ones */
	uint64_t kernels[SLICES_MOST];
	size_t n;
};

/* `kernel`: the feed and the name of the op that ended it. */
void slices_add(struct slices *slices, int64_t ns, uint64_t kernel);
bool slices_shared(const struct slices *slices);

#endif
