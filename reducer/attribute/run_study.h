/* Another second visit: once the steps of all devices are known, a study reads their ops in place of
 * the attribution. */
#ifndef ATTRIBUTE_RUN_STUDY_H
#define ATTRIBUTE_RUN_STUDY_H

#include "attribute/device.h"

struct device_feeds;

struct run_study { /* all return 0 or -errno */
	void *of;
	/* Before the visits; `scans` has one for each device of the run. */
	int (*begin)(void *of, const struct device_context *context, const struct device_scan *scans);
	/* For each device with ops, on as many threads as there are cores. */
	int (*visit)(void *of, const struct device_context *context, const struct device_scan *scan);
	bool ops_alone; /* it asks nothing of gaps: scans need no calibration */
	/* The next three, or NULL, are for devices that are read once. This one begins when only the
	 * first device has been scanned, which has steps by periodicity, as if all had the steps of that
	 * one. 0, 1: that cannot be done, and nothing has begun, or -errno. */
	int (*begin_early)(void *of, const struct device_context *context,
					   const struct device_scan *first);
	/* A device whose ops were kept (opstream_keep()) when it was scanned. */
	int (*visit_kept)(void *of, const struct device_scan *scan, struct device_feeds *feeds);
	/* Are all devices as begin_early() took them to be (scans NULL: no)? 0, 1: no, and all is
	 * forgotten, or -errno. */
	int (*settle)(void *of, const struct device_context *context, const struct device_scan *scans);
	/* After the visits. */
	int (*end)(void *of, const struct device_context *context, const struct device_scan *scans);
};

#endif
