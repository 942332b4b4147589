/* The replay's verdict on a run: its culprits become rows of the summary. */
#ifndef GRAPH_VERDICT_H
#define GRAPH_VERDICT_H

#include "attribute/device.h"

/* Replays a part of the run where devices wait for each other so much that it matters who is late,
 * and where that takes little time compared with the reduction. 0 or -errno. */
int verdict_add(const struct device_context *context, const struct device_scan *scans,
				struct summary *summary);

#endif
