#include "one_visit.h"

#include "attribute/consensus.h"
#include "attribute/readings.h"
#include "base/progress.h"
#include "part_wanted.h"
#include "share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool one_visit_pairs(const struct run *run)
{
	bool *taken = calloc(run->n_processes + 1, sizeof(*taken));
	bool pairs = taken != NULL;
	for (size_t i = 0; pairs && i < run->n_devices; i++) {
		const struct run_device *device = &run->devices[i];
		pairs = device->n_processes == 1 && !taken[device->processes[0]];
		taken[device->processes[0]] = true;
	}
	free(taken);
	return pairs;
}

bool one_visit_fits(const struct work *work)
{
	const struct reduce_options *o = work->context->options;
	return share_is_alone() && !o->part && !o->met && !o->study && !o->last_ns && !o->idle &&
		   !o->step && !o->op && one_visit_pairs(work->context->run);
}

/* What the threads have added up is void. */
static int take_back(struct work *work)
{
	summary_free(&work->out->summary);
	free(work->out->gaps);
	work->out->gaps = NULL;
	work->out->n_gaps = 0;
	return summary_init(&work->out->summary);
}

static void forget_scans(struct work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		device_scan_free(work->context, &work->scans[i]);
		work->scans[i].device = (uint32_t)i;
	}
}

/* The collectives, before any op is read. */
static int foresee(struct work *work, struct device_context *context)
{
	work->foreseen = calloc(work->n + 1, sizeof(*work->foreseen));
	if (!work->foreseen)
		return -ENOMEM;
	atomic_store(&work->foreseeable, true);
	int error = run_workers(work, PHASE_FORESEE);
	return !error && atomic_load(&work->foreseeable) ? collectives_settle(context->collectives)
													 : error;
}

static int store_readings(struct work *work)
{
	const struct run *run = work->context->run;
	int error = readings_take(run, work->scans, work->n);
	for (size_t i = 0; !error && i < work->n; i++) {
		const struct device_scan *scan = &work->scans[i];
		if (scan->empty || !part_wants(run, i, work->context->options))
			continue;
		struct device_summary *device =
			summary_device(&work->out->summary, strings_get(&run->pool, run->devices[i].key).at);
		if (!device)
			return -ENOMEM;
		memcpy(device->readings, scan->readings, sizeof(scan->readings));
	}
	return error;
}

/* Others than these were told: all begins anew. */
static int begin_anew(struct work *work, struct device_context *context)
{
	int error = take_back(work);
	forget_scans(work);
	collectives_close(context->collectives);
	context->collectives = NULL;
	return error ? error : collectives_open(&context->collectives);
}

int one_visit(struct work *work, struct device_context *context, bool *told, bool *done)
{
	*told = *done = false;
	int error = foresee(work, context);
	if (!error && atomic_load(&work->foreseeable))
		error = run_workers(work, PHASE_BOTH);
	*told = atomic_load(&work->foreseeable);
	free(work->foreseen);
	work->foreseen = NULL;
	if (error || !*told)
		return error ? error : begin_anew(work, context);
	*done = work->out->one_visit = !consensus_needed(work->scans, work->n);
	return *done ? store_readings(work) : take_back(work);
}
