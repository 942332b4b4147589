/* The first visit: joins, calibration, the ends of the steps, the collectives. */
#include "attribute/foreseen.h"
#include "attribute/invariants.h"
#include "attribute/scan_doubt.h"
#include "attribute/scan_loops.h"
#include "attribute/scan_steps.h"
#include "base/diag.h"
#include "base/holds.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

static int by_member_and_key(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->op.member != y->op.member)
		return x->op.member < y->op.member ? -1 : 1;
	return memcmp(&x->op.key, &y->op.key, sizeof(x->op.key));
}

/* Of this device they were told before: were they told right? */
static void compare_foreseen(const struct scanning *s)
{
	uint64_t seen = 0;
	bool known = true;
	for (size_t i = 0; i < s->n_noted; i++) {
		known &= s->noted[i].known;
		seen = foreseen_add(seen, &s->noted[i].op);
	}
	s->scan->surprise = !known || seen != s->foreseen->told;
}

static int commit_collectives(struct scanning *s)
{
	struct collectives *all = s->context->collectives;
	int error = 0;
	sort_rows(s->noted, s->n_noted, sizeof(*s->noted), by_member_and_key);
	if (s->foreseen) {
		compare_foreseen(s);
		return 0;
	}
	for (size_t i = 0; !error && i < s->n_noted; i++) {
		const struct noted *n = &s->noted[i];
		bool again = i > 0 && by_member_and_key(n - 1, n) == 0;
		error = n->op.key.ordered ? 0 : collectives_add_member(all, n->op.key.comm, n->op.member);
		if (!error && n->known)
			error = collectives_add(all, &n->op, again);
	}
	return error;
}

static int visit_queued(struct scanning *s, const struct gap *gap)
{
	if (gap_valid(gap) && gap_queued(&s->ds->stream, gap, s->scan->calibration.floor_ns))
		return gap_lengths_add(&s->queued, gap->b - gap->a);
	return 0;
}

static int calibrate_queue(struct scanning *s)
{
	struct calibration *c = &s->scan->calibration;
	bool told = s->pairs_fit && c->floor_ns <= SURELY_QUEUED_NS;
	int error = 0;
	for (size_t i = 0; told && !error && i < s->n_pairs; i++)
		if (s->pairs[2 * i] >= c->floor_ns)
			error = gap_lengths_add(&s->queued, s->pairs[2 * i + 1]);
	if (!told) {
		gap_lengths_clear(&s->queued);
		error = scan_pass_gaps(s, visit_queued);
	}
	c->queued_gap_ns = gap_lengths_median(&s->queued);
	int64_t cap = c->queued_gap_ns > DISPATCH_LIMIT_NS ? DISPATCH_LIMIT_NS : 3 * c->queued_gap_ns;
	cap = cap > c->floor_ns ? cap : c->floor_ns;
	c->dispatch_cap_ns = cap < DISPATCH_LIMIT_NS ? cap : DISPATCH_LIMIT_NS;
	return error;
}

static void calibrate_floor(struct scanning *s)
{
	int64_t few = s->smallest_lag < FLOOR_LIMIT_NS ? s->smallest_lag : FLOOR_LIMIT_NS;
	bool enough = counts_total(&s->lags) >= FLOOR_SAMPLES;
	slices_keep_late(&s->slices, s->smallest_lag);
	s->scan->calibration.shared = slices_shared(&s->slices);
	enough &= !s->scan->calibration.shared; /* there most launches wait for a slice */
	s->scan->calibration.floor_ns = enough ? counts_percentile(&s->lags, 5) : few;
}

/* Without launch records the markers have no op: their windows would be empty. */
static bool gave_up_steps(struct scanning *s)
{
	if (s->launched || s->scan->steps.n_steps == 0)
		return false;
	steps_free(&s->scan->steps);
	s->scan->by_optimizer = false;
	return true;
}

static int make_passes(struct scanning *s)
{
	int error = s->log.whole ? scan_pass_steps(s) : 0;
	bool again = !s->log.whole;
	while (!error && again) {
		error = scan_pass_whole(s);
		again = scan_pass_learned(s->ds) || gave_up_steps(s);
	}
	return error;
}

/* A process that wrote nothing after the stretch has ended, or hangs, and holds nothing up. */
static int64_t find_open(const struct scanning *s, const struct time_span *time)
{
	const struct trace *trace = &s->ds->feeds[s->scan->process].trace;
	const struct steps *steps = &s->scan->steps;
	size_t i = steps->n_markers;
	if (trace->reader.closed || trace->newest_ns < time->to_ns)
		return INT64_MAX;
	while (i > 0 && steps->markers[i - 1].step < 0)
		i--;
	if (i == 0)
		return INT64_MAX;
	return i < steps->n_markers ? steps->markers[i].begin_ns : steps->markers[i - 1].end_ns;
}

/* Of the steps that were found, those that were asked for; how sure they are is of all. A device
 * without any has nothing to tell. */
static int keep_steps(struct scanning *s)
{
	const struct reduce_options *options = s->context->options;
	struct device_scan *scan = s->scan;
	const struct step_fit fit = scan->fit;
	if (!(options->only_steps || options->only_time) || scan->empty)
		return 0;
	if (options->only_time && scan->steps.n_steps)
		scan->open_ns = find_open(s, &options->time);
	const int32_t kept =
		options->only_steps
			? steps_keep(&scan->steps, options->steps.from, options->steps.to)
			: steps_keep_time(&scan->steps, options->time.from_ns, options->time.to_ns);
	scan->empty = scan->steps.n_steps == 0 || kept == 0;
	scan->left_before = scan->steps.left > 0;
	if (options->only_time && options->time.adds)
		scan->steps.left = 0;
	if (scan->empty)
		return 0;
	const int error = make_passes(s);
	const bool shortened = trace_is_shortened(&s->ds->feeds[scan->process].trace);
	if (!options->only_time || !shortened) /* there are no steps of which only a part is here */
		scan->fit = fit;
	return error;
}

/* Each time of a file fits into 64 bits, the time between two of them need not. */
static int check_length(const struct scanning *s, int64_t from, int64_t to)
{
	int64_t length;
	if (!__builtin_sub_overflow(to, from, &length))
		return 0;
	const uint32_t process = s->ds->feeds[s->scan->process].process;
	diag("%s: work of one GPU that is more than 292 years apart: its times are damaged",
		 s->context->run->processes[process].path);
	return -ENOTRECOVERABLE;
}

static int scan_ops(struct scanning *s)
{
	bool changed;
	int error = make_passes(s);
	if (!error && !s->scan->empty)
		error = check_length(s, s->scan->hull_from, s->scan->hull_to);
	if (!error && scan_doubt_last(s))
		error = make_passes(s);
	if (!error)
		error = scan_doubt_marks(s, &changed);
	if (!error && changed)
		error = make_passes(s);
	if (!error)
		error = scan_loops_find(s, &changed);
	if (!error && changed)
		error = make_passes(s);
	if (!error)
		error = scan_doubt_period(s, &changed);
	if (!error && changed)
		error = make_passes(s);
	if (!error)
		error = keep_steps(s);
	if (error || s->scan->given) /* the first scan has committed them */
		return error;
	return commit_collectives(s);
}

/* Windows tile [window_from, window_to); E(s) only grows. */
static void settle_windows(struct device_scan *scan)
{
	scan->lead_in_from = INT64_MAX;
	if (scan->steps.n_steps == 0) {
		scan->window_from = scan->hull_from;
		scan->window_to = scan->hull_to;
		return;
	}
	int64_t from = scan->ends[0];
	if (!scan->any_before) {
		const struct marker *first = scan->steps.markers;
		while (first->step != 0)
			first++;
		from = first->begin_ns < scan->hull_from ? first->begin_ns : scan->hull_from;
		if (from < scan->hull_from)
			scan->lead_in_from = from;
	}
	scan->window_from = scan->ends[0] = from;
	for (int32_t i = 1; i <= scan->steps.n_steps; i++)
		if (scan->ends[i] < scan->ends[i - 1])
			scan->ends[i] = scan->ends[i - 1];
	scan->window_to = scan->ends[scan->steps.n_steps];
	if (scan->window_to == from)
		scan->lead_in_from = INT64_MAX; /* nothing was launched in any step */
}

/* What lies before the first step of the run is the first stretch's, what lies after the last one
 * the last one's. A trace that was shortened does not have the first step of the run. Of a device
 * that several processes drove, one after the other, each stretch has what lies in its time: the
 * first step of one process is not the device's. */
static void settle_counted(struct scanning *s)
{
	struct device_scan *scan = s->scan;
	const struct time_span *time = &s->context->options->time;
	const bool several = s->ds->n > 1;
	const bool is_first =
		!scan->left_before && !trace_is_shortened(&s->ds->feeds[scan->process].trace);
	scan->counted_from = INT64_MIN;
	scan->counted_to = INT64_MAX;
	if (!s->context->options->only_time)
		return;
	if (!is_first)
		scan->counted_from = scan->window_from;
	else if (several)
		scan->counted_from = time->from_ns < scan->window_from ? time->from_ns : scan->window_from;
	if (scan->steps.left_after)
		scan->counted_to = scan->window_to;
	else if (several)
		scan->counted_to = time->to_ns > scan->window_to ? time->to_ns : scan->window_to;
}

static int keep_first_launches(struct device_scan *scan, const struct device_feeds *ds)
{
	scan->late_ns = calloc(ds->n, sizeof(*scan->late_ns));
	scan->first_launch = calloc(ds->n, sizeof(*scan->first_launch));
	if (!scan->late_ns || !scan->first_launch)
		return -ENOMEM;
	for (uint32_t i = 0; i < ds->n; i++) {
		const struct feed *feed = &ds->feeds[i];
		scan->late_ns[i] = feed->late_ns;
		scan->first_launch[i] = malloc(feed->trace.strings.n * sizeof(int64_t));
		if (!scan->first_launch[i])
			return -ENOMEM;
		for (uint32_t n = 0; n < feed->trace.strings.n; n++)
			scan->first_launch[i][n] = feed->names[n].first_launch_ns;
	}
	return 0;
}

static int scan_open(struct scanning *s)
{
	int error = device_feeds_open(s->context, s->scan, s->ds);
	if (!error)
		error = scan_pass_open(s);
	if (!error && s->kept && s->ds->n == 1)
		s->ds->feeds[0].kept = &s->kept->calls;
	return error ? error : scan_steps_find(s);
}

/* A study of a recorded run needs the steps alone, and marks give them without the ops. */
static bool is_told(const struct scanning *s)
{
	const struct device_scan *scan = s->scan;
	return s->context->options->study && scan->steps.n_steps > 0 && !scan->by_period &&
		   !scan->by_optimizer && trace_is_recorded(&s->ds->feeds[scan->process].trace);
}

static int scan_told(struct scanning *s)
{
	bool any;
	int error = scan_steps_any_op(s, &any);
	s->scan->empty = !any;
	return error ? error : keep_first_launches(s->scan, s->ds);
}

static int scan_device(struct scanning *s)
{
	int error = scan_open(s);
	if (error)
		return error;
	if (is_told(s))
		return scan_told(s);
	error = scan_ops(s);
	if (error)
		return error;
	calibrate_floor(s);
	scan_steps_say_unit(s);
	s->scan->clock_early_ns = lag_floor_early_ns(&s->lag_floor);
	error = calibrate_queue(s);
	if (error)
		return error;
	if (!s->scan->empty) {
		settle_windows(s->scan);
		settle_counted(s);
		error = check_length(s, s->scan->window_from, s->scan->window_to);
		if (error)
			return error;
	}
	HOLDS(steps_in_order(&s->scan->steps));
	HOLDS(s->scan->empty || windows_tile(s->scan));
	return keep_first_launches(s->scan, s->ds);
}

static void begin_scan(struct device_scan *scan, uint32_t device)
{
	*scan = (struct device_scan){.device = device, .empty = true, .open_ns = INT64_MAX};
}

int device_scan(const struct device_context *context, uint32_t device, const struct proposal *given,
				struct device_scan *scan)
{
	struct device_feeds ds = {0};
	struct scanning s = {.context = context, .scan = scan, .ds = &ds, .kept = context->kept};
	if (s.kept)
		kept_ops_clear(s.kept);
	begin_scan(scan, device);
	scan->given = given;
	int error = scan_device(&s);
	scan_pass_close(&s);
	device_feeds_close(&ds);
	return error;
}

/* Are the ops and launches that the scan keeps what the attribution would find? */
static bool keeps_all(const struct kept_ops *kept, const struct device_feeds *ds)
{
	const struct feed *feed = &ds->feeds[0];
	return ds->n == 1 && kept->whole && kept->stepped && !kept->deep && !kept->calls.twins &&
		   feed->late_ns == 0 && feed->colls.added <= feed->colls.room;
}

int device_scan_keep(const struct device_context *context, const struct device_once *once,
					 struct device_scan *scan, struct device_feeds *ds)
{
	struct kept_ops *kept = context->kept;
	struct scanning s = {
		.context = context, .scan = scan, .ds = ds, .kept = kept, .foreseen = once->foreseen};
	kept_ops_clear(kept);
	begin_scan(scan, once->device);
	int error = scan_device(&s);
	if (!error && keeps_all(kept, ds))
		opstream_keep(&ds->stream, kept);
	scan_pass_close(&s);
	return error;
}

void device_scan_free(const struct device_context *context, struct device_scan *scan)
{
	uint32_t n = context->run->devices[scan->device].n_processes;
	for (uint32_t i = 0; scan->first_launch && i < n; i++)
		free(scan->first_launch[i]);
	free(scan->first_launch);
	free(scan->late_ns);
	free(scan->ends);
	steps_free(&scan->steps);
	memset(scan, 0, sizeof(*scan));
}
