#include "graph/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The counted steps of a device among its markers, and one before them when there is one. */
static void counted(const struct steps *steps, uint32_t *from, uint32_t *to)
{
	*from = 0;
	*to = 0;
	for (uint32_t i = 0; i < steps->n_markers; i++) {
		if (steps->markers[i].step < 0)
			continue;
		if (*to == 0)
			*from = i ? i - 1 : 0;
		*to = i + 1;
	}
}

static int find_scans(struct sample *sample)
{
	const struct run *run = sample->context->run;
	uint32_t from = 0, to = UINT32_MAX;
	for (size_t i = 0; i < sample->n_scans; i++) {
		uint32_t first, last;
		if (sample->scans[i].empty)
			continue;
		counted(&sample->scans[i].steps, &first, &last);
		from = first > from ? first : from;
		to = last < to ? last : to;
		for (uint32_t p = 0; p < run->devices[i].n_processes; p++) {
			uint32_t *scan = &sample->scan_of[run->devices[i].processes[p]];
			*scan = *scan ? *scan : (uint32_t)i + 1;
		}
	}
	if (to == UINT32_MAX || to < from + SAMPLE_LEAST_STEPS)
		return 1;
	sample->first_marker = from;
	sample->n_steps = to - from;
	return 0;
}

/* By how much the mean step of a window differs from the run's; the first marker leads in. -1:
 * some of its steps are not counted. */
static int64_t unlike_ns(const struct device_scan *scan, uint32_t first, uint32_t n)
{
	const struct marker *markers = scan->steps.markers;
	const int32_t all = scan->steps.n_steps;
	const int32_t from = markers[first + 1].step, last = markers[first + n - 1].step;
	if (from < 0 || last - from + 2 != (int32_t)n)
		return -1;
	const int64_t mean_ns = (scan->ends[last + 1] - scan->ends[from]) / (last - from + 1);
	const int64_t run_ns = (scan->ends[all] - scan->ends[0]) / all;
	return mean_ns > run_ns ? mean_ns - run_ns : run_ns - mean_ns;
}

/* Where the run is too long to be replayed as a whole: the steps whose mean is the run's; of equal
 * ones those in the middle. */
static int cut(struct sample *sample, uint64_t most)
{
	const struct device_scan *scan = sample->scans;
	const uint32_t all = sample->n_steps, first = sample->first_marker;
	if (most < SAMPLE_LEAST_STEPS)
		return 1;
	while (scan->empty)
		scan++;
	sample->n_steps = all < most ? all : (uint32_t)most;
	if (sample->n_steps > SAMPLE_STEPS)
		sample->n_steps = SAMPLE_STEPS;
	const uint32_t windows = all - sample->n_steps;
	sample->first_marker = first + windows / 2;
	int64_t least_ns = unlike_ns(scan, sample->first_marker, sample->n_steps);
	for (uint32_t i = 0; i <= windows; i++) {
		const int64_t ns = unlike_ns(scan, first + i, sample->n_steps);
		if (ns < 0 || (least_ns >= 0 && ns >= least_ns))
			continue;
		least_ns = ns;
		sample->first_marker = first + i;
	}
	return 0;
}

int sample_open(struct sample *sample, const struct device_context *context,
				const struct device_scan *scans, const struct sample_size *size)
{
	const struct run *run = context->run;
	*sample = (struct sample){
		.context = context, .scans = scans, .n_scans = run->n_devices, .bundle = size->bundle};
	sample->scan_of = calloc(run->n_processes + 1, sizeof(*sample->scan_of));
	sample->host_of = calloc(run->n_processes + 1, sizeof(*sample->host_of));
	sample->offsets = calloc(run->n_processes + 1, sizeof(*sample->offsets));
	if (!sample->scan_of || !sample->host_of || !sample->offsets) {
		sample_close(sample);
		return -ENOMEM;
	}
	sample->n_hosts = host_clocks_number(run, sample->host_of);
	int none = find_scans(sample);
	if (!none)
		none = cut(sample, size->steps);
	if (none)
		sample_close(sample);
	return none;
}

void sample_close(struct sample *sample)
{
	free(sample->scan_of);
	free(sample->host_of);
	free(sample->offsets);
	memset(sample, 0, sizeof(*sample));
}

void sample_begins(const struct sample *sample, uint32_t process, int64_t *begins)
{
	const struct steps *steps = &sample->scans[sample->scan_of[process] - 1].steps;
	const struct marker *first = &steps->markers[sample->first_marker];
	for (uint32_t i = 0; i < sample->n_steps; i++)
		begins[i] = first[i].begin_ns;
	begins[sample->n_steps] = sample->first_marker + sample->n_steps < steps->n_markers
								  ? first[sample->n_steps].begin_ns
								  : first[sample->n_steps - 1].end_ns;
}

int64_t sample_gpu_end(const struct sample *sample, uint32_t process)
{
	const struct run *run = sample->context->run;
	const uint32_t last = sample->first_marker + sample->n_steps - 1;
	int64_t end_ns = INT64_MIN;
	for (size_t i = 0; i < sample->n_scans; i++) {
		const struct device_scan *scan = &sample->scans[i];
		const int32_t step = scan->empty ? -1 : scan->steps.markers[last].step;
		for (uint32_t p = 0; step >= 0 && p < run->devices[i].n_processes; p++)
			if (run->devices[i].processes[p] == process && scan->ends[step + 1] > end_ns)
				end_ns = scan->ends[step + 1];
	}
	return end_ns;
}

int sample_align(struct sample *sample)
{
	const struct run *run = sample->context->run;
	int64_t *from = calloc(run->n_processes + 1, sizeof(*from));
	int64_t *to = calloc(run->n_processes + 1, sizeof(*to));
	int64_t *begins = calloc(sample->n_steps + 1, sizeof(*begins));
	const struct host_clocks clocks = {.run = run,
									   .host_of = sample->host_of,
									   .n_hosts = sample->n_hosts,
									   .from_ns = from,
									   .to_ns = to,
									   .offsets = sample->offsets};
	int error = from && to && begins ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < run->n_processes; i++) {
		if (!sample->scan_of[i])
			continue;
		sample_begins(sample, i, begins);
		from[i] = begins[0];
		to[i] = begins[sample->n_steps];
	}
	if (!error)
		error = host_clocks_align(&clocks);
	free(from);
	free(to);
	free(begins);
	return error;
}

int64_t sample_time(const struct sample *sample, uint32_t process, int64_t ns)
{
	const struct host_offset *o = &sample->offsets[sample->host_of[process]];
	return host_offset_time(o, ns);
}
