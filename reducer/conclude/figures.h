/* Figures that several views need, once: means per step over the devices of a run, exact where they
 * have to add up. */
#ifndef CONCLUDE_FIGURES_H
#define CONCLUDE_FIGURES_H

#include "summary/summary.h"

/* What begins a step, as the summary's text says it. */
enum step_source { STEPS_NONE, STEPS_MARKER, STEPS_NVTX, STEPS_OPTIMIZER, STEPS_PERIODICITY };
const char *step_source_name(enum step_source source);
/* A text that is none of the names counts as markers: there are steps. */
enum step_source step_source(const char *name);

struct figures {
	uint32_t devices;
	int64_t step_ns; /* mean window per step and device; the whole window when there are no steps */
	int64_t p50_ns, p95_ns, max_ns; /* of all steps of all devices */
	int64_t noise_ns;               /* counts_spread() of the steps of the median device */
	int64_t tool_ns;             /* the tool's own cost per step and device, 0 when not recorded */
	int64_t time_ns[LEAF_COUNT]; /* per step, mean of devices: adds up to step_ns exactly */
	int64_t hidden_ns;           /* NCCL under compute, per step */
	int64_t kernels;             /* per step and device */
	int64_t short_kernels;
	int64_t launches;
	int64_t steps; /* of the device with most */
	enum step_source step_source;
	bool has_steps;
	uint64_t carried; /* by any device */
};

/* The trace has GPU work but not one call of the host: no cause of idle time can be told. */
bool figures_lack_cpu(const struct summary *summary);

void figures_compute(const struct summary *summary, struct figures *figures);

/* Some leaves (LEAF_BIT) per step: the mean of the devices, and one device. */
int64_t figures_time(const struct figures *figures, uint64_t leaves);
int64_t figures_device_time(const struct device_summary *device, uint64_t leaves);

/* Divides terms[0..n) by `divisor` so that the results add up to round(sum / divisor): largest
 * remainder, of equals the first. */
void figures_share_out(const __int128 *terms, size_t n, int64_t divisor, int64_t *out);

/* Decimals of milliseconds: one precision for all that is said of a run whose step is so long. */
int figures_ms_decimals(int64_t step_ns);

/* Sorts values in ascending order. */
void figures_sort(int64_t *values, size_t n);
/* The median of values (of an even number the smaller of the middle two; 0 without any). Sorts. */
int64_t figures_median(int64_t *values, size_t n);

/* Bus bandwidth as nccl-tests define it (doc/PERFORMANCE.md there), size / time x factor(ranks), in
 * GB/s (10^9 bytes) over the transfer time of a row of the summary. NaN where the size, the ranks
 * or the split is not known. */
double figures_busbw_gbps(const struct summary *summary, const struct nccl_summary *row);

#endif
