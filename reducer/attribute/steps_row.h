/* The summary's row of a device's steps: how sure they are, and what lies outside of them. */
#ifndef ATTRIBUTE_STEPS_ROW_H
#define ATTRIBUTE_STEPS_ROW_H

#include "attribute/generations.h"
#include "attribute/device.h"

struct steps_ops { /* of a device, by where they were launched */
	uint64_t n, before, inside, after;
};

/* Nothing where the device has no steps. `generations` may be NULL. 0 or -ENOMEM. */
int steps_row_store(const struct device_scan *scan, const struct generations *generations,
					const struct steps_ops *ops, struct summary *summary, uint32_t key);

#endif
