/* The steps of a run as all its ranks count them: by the numbers of their markers if all have some,
 * else by their places. */
#ifndef JITTER_AXIS_H
#define JITTER_AXIS_H

#include "attribute/device.h"

struct step_range {
	int64_t from, to;       /* numbers of steps, both included */
	int64_t from_ns, to_ns; /* of their begins, to_ns excluded */
};

struct step_axis {
	int64_t *number; /* of each step, increasing; its place where steps have no numbers */
	uint32_t n;
	size_t n_scans; /* of devices with ops */
	bool numbered;
	bool uneven; /* the ranks have not all the same steps, or not as many */
};

/* Of n scans; those without ops do not count. Steps in the range that at least two of them have, or
 * the only one. A step begins when the first of them begins it. 0 or -ENOMEM. */
int step_axis_open(struct step_axis *axis, const struct device_scan *scans, size_t n,
				   const struct step_range *range);
void step_axis_close(struct step_axis *axis);

/* The number of a device's step. */
int64_t step_axis_number(const struct step_axis *axis, const struct device_scan *scan,
						 int32_t step);
/* Its place on the axis; axis->n: it has none. */
uint32_t step_axis_find(const struct step_axis *axis, int64_t number);

#endif
