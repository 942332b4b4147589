/* Reduces one device in two visits. The scan finds the calibration, the ends of the steps and the
 * collectives; once all devices are scanned, the attribution follows. Between the visits memory is
 * one number for each step and one for each kernel name. device_visit() makes both at once. */
#ifndef ATTRIBUTE_DEVICE_H
#define ATTRIBUTE_DEVICE_H

#include "attribute/collectives.h"
#include "attribute/gap.h"
#include "read/run.h"
#include "summary/reduction.h"
#include "summary/rows.h"
#include "steps/markers.h"
#include "steps/own_kernels.h"
#include "steps/period_memo.h"
#include "steps/proposals.h"

struct device_context { /* what all devices that a thread visits share */
	const struct run *run;
	const struct host_names *names;
	const struct step_range *step_range; /* --step-range, or NULL */
	const struct generations *generations;
	struct class_cache *classes;
	struct collectives *collectives;
	const struct reduce_options *options;
	struct period_memo *periods;
	struct corr_store *store; /* this thread's, like the next */
	struct kept_ops *kept;    /* for device_visit(), which needs it; NULL: nothing is kept */
};

struct other_way { /* another way to find the steps than the one that is used */
	enum steps_way way;
	bool instead; /* it was found first, and covers little: the steps are used instead of its own */
	uint32_t steps;
	struct step_fit fit;
};

struct device_scan {
	uint32_t device; /* index in the run */
	struct steps steps;
	bool empty;                   /* the device has no ops */
	bool surprise;                /* its collectives are not those that were foreseen */
	bool by_period;               /* steps come from periodicity */
	bool by_graphs;               /* and they are launches of a whole graph */
	bool by_optimizer;            /* steps come from an optimizer's marks */
	uint32_t process;             /* feed of the process of the steps */
	uint32_t launches;            /* kernels from which steps were sought by periodicity */
	uint32_t period_steps;        /* that were found, nothing cut */
	uint32_t graphs_after;        /* launches of whole graphs after the last step */
	const struct proposal *given; /* steps that were agreed on; NULL: by itself */
	struct step_fit fit;
	struct other_way other; /* WAY_NONE: none was tried */
	int64_t *ends;          /* E(s), n_steps + 1 instants; ends[0] is where the first step begins */
	bool any_before;        /* an op was launched before the first step */
	bool left_before;       /* steps before the first counted one are left out */
	/* Of a process that still records: a step that begins at this time or later may not be over.
	 * INT64_MAX: all that begin are. */
	int64_t open_ns;
	int64_t hull_from, hull_to;
	int64_t window_from, window_to;
	/* What counts of the device: all of it, but of a stretch of time no more than what belongs to
	 * its steps. Neighbouring stretches share no instant and leave none out. */
	int64_t counted_from, counted_to;
	int64_t lead_in_from; /* INT64_MAX: no lead-in */
	struct calibration calibration;
	int64_t clock_early_ns; /* by how much work starts before its launch */
	int64_t *late_ns;       /* per process: how long after its op's start a launch may begin */
	int64_t **first_launch; /* per process and string: see struct name_facts */
	struct reading readings[READINGS]; /* GPU readings within the window: readings_take() */
};

/* Where the part of its time begins and ends that counts. */
static inline int64_t device_scan_from(const struct device_scan *scan)
{
	return scan->counted_from > scan->hull_from ? scan->counted_from : scan->hull_from;
}

static inline int64_t device_scan_to(const struct device_scan *scan)
{
	return scan->counted_to < scan->hull_to ? scan->counted_to : scan->hull_to;
}

/* Fills `scan`. `given`: NULL, or a second scan with the steps on which the devices agreed; it is
 * kept, not copied. The caller frees the scan with device_scan_free() also after an error. 0 or
 * -errno. */
int device_scan(const struct device_context *context, uint32_t device, const struct proposal *given,
				struct device_scan *scan);
struct foreseen;
struct device_feeds;
struct device_once { /* a device that is read once */
	uint32_t device;
	const struct foreseen
		*foreseen;   /* what was told of it; scan->surprise says that it was wrong */
	bool attributes; /* else it is scanned only */
};
/* The same for an attribution that follows at once, from the feeds that it leaves open, also after
 * an error. */
int device_scan_keep(const struct device_context *context, const struct device_once *once,
					 struct device_scan *scan, struct device_feeds *ds);
void device_scan_free(const struct device_context *context, struct device_scan *scan);

/* Adds the device to the summary and its worst gaps to the list of `out`, which may already hold
 * other devices. 0 or -errno. */
int device_attribute(const struct device_context *context, const struct device_scan *scan,
					 struct reduction *out);
/* Both visits, one after the other, where the collectives of all devices are known and settled. What
 * has scan->surprise afterwards is not attributed. The readings are left out. 0 or -errno. */
int device_visit(const struct device_context *context, const struct device_once *once,
				 struct device_scan *scan, struct reduction *out);

#endif
