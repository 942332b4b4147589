/* One device through the pipe in two visits: the scan (calibration, step ends, collectives), then,
 * once all devices were scanned, the attribution. Memory between the visits is one number per step
 * and one per kernel name. */
#ifndef ATTRIBUTE_DEVICE_H
#define ATTRIBUTE_DEVICE_H

#include "attribute/collectives.h"
#include "attribute/gap.h"
#include "read/run.h"
#include "summary/reduction.h"
#include "steps/markers.h"

struct device_context { /* the same for all devices of a run that a thread visits */
	const struct run *run;
	const struct host_names *names;
	struct class_cache *classes;
	struct collectives *collectives;
	const struct reduce_options *options;
	struct corr_store *store; /* of this thread */
};

struct device_scan {
	uint32_t device; /* index in the run */
	struct steps steps;
	bool empty;        /* no op at all */
	bool by_period;    /* its steps come from periodicity */
	bool by_optimizer; /* from the marks of an optimizer */
	int64_t *ends;     /* E(s), n_steps + 1 numbers, E(before) first */
	bool any_before;   /* some op was launched before the first step */
	int64_t hull_from, hull_to;
	int64_t window_from, window_to;
	int64_t lead_in_from; /* INT64_MAX: no lead-in */
	struct calibration calibration;
	int64_t *late_ns;       /* per process: how much later than its op a launch may begin */
	int64_t **first_launch; /* per process: per string, see struct name_facts */
	struct reading readings[READINGS]; /* what it showed in its window: readings_take() */
};

/* 0 or -errno; the caller frees `scan` with device_scan_free() either way. */
int device_scan(const struct device_context *context, uint32_t device, struct device_scan *scan);
void device_scan_free(const struct device_context *context, struct device_scan *scan);

/* Adds the device to the summary and its worst gaps to the list of `out`, which may hold other
 * devices. 0 or -errno. */
int device_attribute(const struct device_context *context, const struct device_scan *scan,
					 struct reduction *out);

#endif
