/* The clocks of hosts, aligned by the ends of collectives, which all members leave together. */
#ifndef GRAPH_HOST_CLOCKS_H
#define GRAPH_HOST_CLOCKS_H

#include "read/run.h"

struct host_offset { /* added to a time of a host: constant + slope x (time - origin) */
	double slope, constant_ns;
	int64_t origin_ns;
	int64_t residual_ns; /* nine of ten shared collectives fit as well; -1: not aligned */
};

struct host_clocks {
	const struct run *run;
	const uint32_t *host_of; /* by process: number of its host */
	uint32_t n_hosts;
	const int64_t *from_ns, *to_ns; /* by process: collectives in [from, to) count; its own clock */
	struct host_offset *offsets;    /* by host; all 0 before the call */
};

/* Fills hosts->offsets: the first host keeps its clock, and so does one without common collectives.
 * 0 or -errno. */
int host_clocks_align(const struct host_clocks *hosts);
int64_t host_offset_time(const struct host_offset *offset, int64_t ns);

#endif
