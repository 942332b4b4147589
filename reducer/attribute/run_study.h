/* Another second visit: once the steps of all devices are known, a study reads their ops in place of
 * the attribution. */
#ifndef ATTRIBUTE_RUN_STUDY_H
#define ATTRIBUTE_RUN_STUDY_H

#include "attribute/device.h"

struct run_study { /* all return 0 or -errno */
	void *of;
	/* Before the visits; `scans` has one for each device of the run. */
	int (*begin)(void *of, const struct device_context *context, const struct device_scan *scans);
	/* For each device with ops, on as many threads as there are cores. */
	int (*visit)(void *of, const struct device_context *context, const struct device_scan *scan);
	/* After the visits. */
	int (*end)(void *of, const struct device_context *context, const struct device_scan *scans);
};

#endif
