/* A run that is ready to be replayed: sample, model and causes in one. */
#ifndef GRAPH_REPLAYED_H
#define GRAPH_REPLAYED_H

#include "graph/causes.h"
#include "graph/sample.h"

struct replayed {
	struct sample sample;
	struct model model;
	struct causes causes;
	/* by how much a replay of the measured weights is off, at most, in any node */
	int64_t error_ns;
};

/* A sample of that size of the run. 0: call replayed_close(); 1: the run has too few steps; or
 * -errno. */
int replayed_open(struct replayed *replayed, const struct device_context *context,
				  const struct device_scan *scans, const struct sample_size *size);
void replayed_close(struct replayed *replayed);

#endif
