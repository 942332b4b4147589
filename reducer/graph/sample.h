/* Which steps of a run are replayed: one run of consecutive steps, the same ones on every device,
 * small enough for the memory that a reduction may take; and the clocks of the hosts. */
#ifndef GRAPH_SAMPLE_H
#define GRAPH_SAMPLE_H

#include "attribute/device.h"
#include "graph/host_clocks.h"

enum { SAMPLE_STEPS = 26, SAMPLE_LEAST_STEPS = 3 };

struct sample {
	const struct device_context *context;
	const struct device_scan *scans; /* by device of the run */
	size_t n_scans;
	uint32_t first_marker; /* of every device's markers */
	uint32_t n_steps;
	uint32_t bundle;             /* so many launches are taken together at most; 1: none */
	uint32_t *scan_of;           /* by process: 1 + the scan whose steps it has; 0: none */
	uint32_t *host_of;           /* by process: number of its host */
	struct host_offset *offsets; /* by host */
	uint32_t n_hosts;
};

struct sample_size {
	uint64_t steps;  /* at most */
	uint32_t bundle; /* launches that are taken together, at most; 1: none */
};

/* Chooses the steps. 0; 1: the run has too few; or -ENOMEM. */
int sample_open(struct sample *sample, const struct device_context *context,
				const struct device_scan *scans, const struct sample_size *size);
void sample_close(struct sample *sample);

/* begins[0 .. n_steps]: where the steps begin for this process, and the last one ends; its own
 * clock. */
void sample_begins(const struct sample *sample, uint32_t process, int64_t *begins);
/* When the last step of the sample ends on the devices that the process drives, its own clock. */
int64_t sample_gpu_end(const struct sample *sample, uint32_t process);
/* Aligns the clocks of the hosts by the collectives of the sample. 0 or -errno. */
int sample_align(struct sample *sample);
/* A time of this process on the clock of the sample. */
int64_t sample_time(const struct sample *sample, uint32_t process, int64_t ns);

#endif
