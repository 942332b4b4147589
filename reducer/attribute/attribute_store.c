#include "attribute/attributing.h"

#include "attribute/carried.h"
#include "attribute/invariants.h"
#include "attribute/owner_rows.h"
#include "base/diag.h"
#include "base/holds.h"
#include "base/source.h"

#include <errno.h>

static int store_steps(struct attributing *a)
{
	const struct device_scan *scan = a->scan;
	struct device_summary *device = a->device;
	device->steps = scan->steps.n_steps ? scan->steps.n_steps : 1;
	device->window_ns = scan->window_to - scan->window_from;
	device->hull_ns = device_scan_to(scan) - device_scan_from(scan);
	device->floor_ns = scan->calibration.floor_ns;
	device->queued_gap_ns = scan->calibration.queued_gap_ns;
	if (scan->steps.n_steps == 0)
		return counts_add(&device->step_ns, device->window_ns, 1);
	int error = 0;
	for (int32_t i = 0; !error && i < scan->steps.n_steps; i++)
		error = counts_add(&device->step_ns, scan->ends[i + 1] - scan->ends[i], 1);
	return error;
}

/* What the sources carry, and whatever turned up all the same: leaves always add up to the window.
 */
static void store_carried(struct attributing *a)
{
	for (uint32_t i = 0; i < a->ds->n; i++) {
		const struct feed *s = &a->ds->feeds[i];
		enum source_kind source = source_kind(feed_text(s, s->trace.process.source));
		a->device->carried |= carried_leaves(source, s->ranges.n_entries > 0);
	}
	if (a->unmatched == a->ops.n) /* nothing of the host: no gap has a cause that could be told */
		a->device->carried &= LEAVES_WITHOUT_LAUNCHES;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (a->device->time_ns[leaf] > 0)
			a->device->carried |= LEAF_BIT(leaf);
}

static void store_quality(struct attributing *a)
{
	struct quality *q = &a->summary->quality;
	q->unmatched_ops += a->unmatched_counted;
	q->invalid_timestamps += a->engine.invalid;
	q->hand_offs += a->engine.hand_offs;
	q->launches += (uint64_t)a->device->launches;
	q->unsampled_ns += a->unsampled_ns;
	q->unrecorded_ns += (uint64_t)a->device->time_ns[LEAF_UNKNOWN_UNRECORDED];
	q->steps_cut += a->scan->steps.cut;
	if (a->scan->clock_early_ns > q->gpu_clock_early_ns)
		q->gpu_clock_early_ns = a->scan->clock_early_ns;
	for (uint32_t i = 0; i < a->ds->n; i++) {
		const struct feed *s = &a->ds->feeds[i];
		q->records += s->ops.read + s->calls.read + s->ranges.read + s->overheads.read +
					  s->collectives.read + s->scheds.read + s->syncs.read;
	}
}

/* What has to do with lines of code. */
static int store_code(struct attributing *a)
{
	struct owner_places places;
	int error = owner_places_open(&places, &a->owners);
	if (!error)
		error = owners_store(&a->owners, &places, a->summary, a->worst->device);
	if (!error)
		error = worst_gaps_lines(a->worst, &places);
	owner_places_close(&places);
	return error;
}

/* What each step has, and what the others waited for each process in it. */
static int store_by_step(struct attributing *a)
{
	const char *device = a->worst->device;
	int error = step_leaves_store(&a->step_leaves, &a->scan->steps, a->summary, device);
	for (uint32_t i = 0; !error && i < a->ds->n; i++) {
		const int32_t rank = a->context->run->processes[a->ds->feeds[i].process].rank;
		error = step_caused_store(&a->step_caused, i, a->summary, rank, device);
	}
	if (!error)
		error = sent_store(&a->sent, a->summary, device);
	if (error)
		return error;
	const int32_t rank = a->context->run->processes[attributing_feed(a)->process].rank;
	return think_store(&a->think, a->summary, rank, device);
}

/* No trace, however damaged, may break the partition: if it is broken, baton is. */
static int check_partition(const struct attributing *a)
{
	if (summary_device_adds_up(a->device))
		return 0;
	diag("internal error: the leaves of %s do not add up to its window: a fault of baton's, not of "
		 "this run; please report it",
		 a->worst->device);
	return -ENOTRECOVERABLE;
}

int attribute_store(struct attributing *a)
{
	const struct device_scan *scan = a->scan;
	memcpy(a->device->time_ns, a->sweep.time_ns, sizeof(a->sweep.time_ns));
	memcpy(a->device->readings, scan->readings, sizeof(scan->readings));
	a->device->nccl_hidden_ns = a->sweep.hidden_ns;
	HOLDS(step_leaves_add_up(&a->step_leaves, a->sweep.time_ns));
	store_carried(a);
	store_quality(a);
	int error = store_steps(a);
	if (!error)
		error = steps_row_store(scan, a->context->generations, &a->ops, a->summary, a->device->key);
	if (error)
		return error;
	error = store_by_step(a);
	if (error)
		return error;
	error = kernel_sums_store(&a->kernels, a->summary);
	if (!error)
		error = copy_sums_store(&a->copies, a->ds->feeds, a->summary, a->worst->device);
	if (error)
		return error;
	error = tally_store(&a->tally, a->ds, a->summary, a->worst->device);
	if (!error)
		error = store_code(a);
	return error ? error : check_partition(a);
}
