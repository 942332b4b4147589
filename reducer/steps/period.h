/* Steps without markers: from the periodicity of the kernel sequence. A training step launches some
 * kernels exactly once; the number of distinct kernels that share a count says how many steps there
 * are, and the earliest of them with a regular rhythm says where each begins. */
#ifndef STEPS_PERIOD_H
#define STEPS_PERIOD_H

#include <stddef.h>
#include <stdint.h>

struct launch_mark {
	int64_t launch_ns;
	uint32_t symbol; /* which kernel; any numbering */
};

enum { PERIOD_LEAST_STEPS = 3 };

/* `marks` are sorted by launch_ns. *begins (new memory) gets the launch times at which steps begin,
 * *n their number, 0 when no rhythm of at least PERIOD_LEAST_STEPS was found. 0 or -ENOMEM. */
int period_find(const struct launch_mark *marks, size_t n_marks, int64_t **begins, size_t *n);

#endif
