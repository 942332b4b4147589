#include "jitter/study.h"

#include "base/saturate.h"
#include "base/sort.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the visits ---- */

static bool keeps(const void *of, const struct device_scan *scan, int32_t step)
{
	const struct jitter_study *s = of;
	return step_axis_find(&s->axis, step_axis_number(&s->axis, scan, step)) < s->axis.n;
}

static int add_rank(struct jitter_study *s, const struct device_context *context,
					const struct device_scan *scan)
{
	const struct run *run = context->run;
	const struct run_device *device = &run->devices[scan->device];
	const struct run_process *process = &run->processes[device->processes[scan->process]];
	struct jitter_rank *rank = &s->ranks[s->n_ranks];
	*rank = (struct jitter_rank){.device = scan->device, .ordinal = -1, .rank = process->rank};
	rank->host = strdup(strings_get(&run->pool, process->host).at);
	rank->key = strdup(strings_get(&run->pool, device->key).at);
	rank->cells = calloc((size_t)s->reference.n + 1, sizeof(*rank->cells));
	s->n_ranks++;
	return rank->host && rank->key && rank->cells ? 0 : -ENOMEM;
}

static int find_reference(struct jitter_study *s, const struct device_context *context,
						  const struct device_scan *scans)
{
	const struct step_filter filter = {keeps, s};
	int error = 1;
	for (size_t i = 0; error == 1 && i < context->run->n_devices; i++)
		if (!scans[i].empty)
			error = reference_find(&s->reference, context, &scans[i], &filter);
	return error;
}

/* Does this kernel bring all compared ranks together, as far as its communicator is known? */
static bool brings_all(const struct jitter_study *s, uint32_t comm_size)
{
	return comm_size == 0 || comm_size >= s->n_ranks;
}

static uint32_t closing_of(const struct jitter_study *s)
{
	const struct reference *r = &s->reference;
	const uint32_t first = r->n_lane[STREAM_MAIN] ? r->lane[STREAM_MAIN][0] : r->n;
	for (uint32_t i = r->n; i > 0 && i - 1 > first; i--) {
		const struct jitter_position *at = &r->at[i - 1];
		if (at->class == STREAM_NCCL && brings_all(s, at->comm_size) &&
			reference_may_close(strings_get(&r->names, at->name).at))
			return i - 1;
	}
	return NO_POSITION;
}

static int by_rank(const void *a, const void *b)
{
	const struct jitter_rank *x = a, *y = b;
	if (x->rank != y->rank)
		return (uint32_t)x->rank < (uint32_t)y->rank ? -1 : 1; /* unknown ones last */
	return x->device < y->device ? -1 : x->device > y->device;
}

static int make_ranks(struct jitter_study *s, const struct device_context *context,
					  const struct device_scan *scans)
{
	const size_t n = context->run->n_devices;
	s->ranks = calloc(n + 1, sizeof(*s->ranks));
	s->rank_of = calloc(n + 1, sizeof(*s->rank_of));
	int error = s->ranks && s->rank_of ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < n; i++)
		if (!scans[i].empty)
			error = add_rank(s, context, &scans[i]);
	if (error)
		return error;
	sort_rows(s->ranks, s->n_ranks, sizeof(*s->ranks), by_rank);
	for (uint32_t r = 0; r < s->n_ranks; r++)
		s->rank_of[s->ranks[r].device] = r;
	size_t cells; /* calloc() checks the product with the size of one */
	if (__builtin_mul_overflow((size_t)s->n_ranks + 1, (size_t)s->axis.n + 1, &cells))
		return -ENOMEM;
	s->at = calloc(cells, sizeof(*s->at));
	s->gap_before_ns = calloc(cells, sizeof(*s->gap_before_ns));
	return s->at && s->gap_before_ns ? 0 : -ENOMEM;
}

/* The time between the begins of neighbouring steps: of marks whose ops were not read. */
static double length_of_marks(const struct steps *steps)
{
	double sum = 0;
	for (size_t i = 0; i < steps->n_markers; i++) {
		const struct marker *m = &steps->markers[i];
		const int64_t end = i + 1 < steps->n_markers ? m[1].begin_ns : m->end_ns;
		sum += m->step >= 0 ? (double)(end - m->begin_ns) : 0;
	}
	return sum;
}

/* The mean of the devices', as a report has it: a thread that runs ahead of its GPU marks the first
 * steps too close together. */
static double length_of_step(const struct device_scan *scans, size_t n)
{
	double sum = 0, devices = 0;
	for (size_t d = 0; d < n; d++) {
		const struct device_scan *scan = &scans[d];
		const double steps = scan->steps.n_steps > 0 ? scan->steps.n_steps : 1;
		if (scan->empty)
			continue;
		sum += scan->ends ? (double)(scan->window_to - scan->window_from) / steps
						  : length_of_marks(&scan->steps) / steps;
		devices++;
	}
	return devices > 0 ? sum / devices : 0;
}

static void settle_time(struct jitter_study *s, const struct run *run)
{
	int64_t first_ns = INT64_MAX;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].first_ns < first_ns)
			first_ns = run->processes[i].first_ns;
	if (s->by_time && first_ns != INT64_MAX) {
		s->range.from_ns = saturate_add(first_ns, s->range.from_ns);
		s->range.to_ns = saturate_add(first_ns, s->range.to_ns);
	}
	s->by_time = false;
}

/* The scans, those of other devices as if they were empty; NULL: no memory. */
static struct device_scan *scans_of_wanted(struct jitter_study *s, const struct run *run,
										   const struct device_scan *scans)
{
	struct device_scan *mine = malloc((run->n_devices + 1) * sizeof(*mine));
	s->wanted = calloc(run->n_devices + 1, sizeof(*s->wanted));
	s->absent = true;
	for (size_t i = 0; mine && s->wanted && i < run->n_devices; i++) {
		s->wanted[i] = !s->device || s->wants(run, i, s->device);
		s->absent &= !s->wanted[i];
		mine[i] = scans[i];
		mine[i].empty |= !s->wanted[i];
	}
	return mine;
}

static int begin_with(struct jitter_study *s, const struct device_context *context,
					  const struct device_scan *scans)
{
	const size_t n = context->run->n_devices;
	int error = step_axis_open(&s->axis, scans, n, &s->range);
	if (!error)
		error = find_reference(s, context, scans);
	if (error == 1) /* there are no kernels in steps: no ranks */
		return 0;
	if (!error)
		error = make_ranks(s, context, scans);
	if (!error)
		s->closing = closing_of(s);
	s->step_ns = length_of_step(scans, n);
	for (size_t i = 0; i < n; i++)
		s->by_period |= scans[i].by_period && scans[i].steps.n_steps > 0;
	return error;
}

static int begin(void *of, const struct device_context *context, const struct device_scan *scans)
{
	struct jitter_study *s = of;
	settle_time(s, context->run);
	struct device_scan *mine = scans_of_wanted(s, context->run, scans);
	const int error = mine && s->wanted ? begin_with(s, context, mine) : -ENOMEM;
	free(mine); /* what its rows point to stays with the caller */
	return error;
}

static void forget_all(struct jitter_study *s)
{
	jitter_study_close(s);
	s->ranks = NULL;
	s->rank_of = NULL;
	s->wanted = NULL;
	s->at = NULL;
	s->gap_before_ns = NULL;
	s->n_ranks = 0;
}

static int begin_early(void *of, const struct device_context *context,
					   const struct device_scan *first)
{
	struct jitter_study *s = of;
	const size_t n = context->run->n_devices;
	if (s->device || s->by_time || s->write_step)
		return 1;
	struct device_scan *all = malloc((n + 1) * sizeof(*all));
	for (size_t i = 0; all && i < n; i++) {
		all[i] = *first;
		all[i].device = (uint32_t)i;
	}
	const int error = all ? begin(s, context, all) : -ENOMEM;
	free(all);
	if (!error && s->n_ranks == 0)
		forget_all(s);
	return error ? error : s->n_ranks == 0;
}

/* The axis of all scans; *same: it has the steps that the study has taken it to have. */
static int compare_axes(struct jitter_study *s, const struct device_scan *scans, size_t n,
						bool *same)
{
	struct step_axis axis;
	const int error = step_axis_open(&axis, scans, n, &s->range);
	*same = !error && axis.n == s->axis.n && axis.numbered == s->axis.numbered &&
			memcmp(axis.number, s->axis.number, axis.n * sizeof(*axis.number)) == 0;
	for (size_t i = 0; i < n; i++)
		*same &= !scans[i].empty && scans[i].process == 0;
	if (*same)
		s->axis.uneven = axis.uneven;
	step_axis_close(&axis);
	return error;
}

static int settle(void *of, const struct device_context *context, const struct device_scan *scans)
{
	struct jitter_study *s = of;
	const size_t n = context->run->n_devices;
	bool same = false;
	const int error = scans ? compare_axes(s, scans, n, &same) : 0;
	if (same)
		s->step_ns = length_of_step(scans, n);
	else
		forget_all(s);
	return error ? error : !same;
}

/* ---- a device ---- */

struct visiting {
	struct jitter_study *study;
	struct jitter_rank *rank;
	const struct device_context *context;
	const struct device_scan *scan;
	uint32_t index; /* of the rank */
	struct name_map map;
	struct alignment alignment;
	struct kernel_times *times;
	size_t times_room;
	uint64_t *counts; /* by slot */
	uint32_t main_slot;
	bool opened;
};

/* The op at the closing position; ops->n: the step has none there. */
static size_t find_closing(const struct visiting *v, const struct step_ops *ops)
{
	const struct jitter_study *s = v->study;
	if (s->closing == NO_POSITION)
		return ops->n;
	for (size_t i = ops->n; i > 0; i--)
		if (v->alignment.position[i - 1] == s->closing)
			return brings_all(s, ops->at[i - 1].comm_size) ? i - 1 : ops->n;
	return ops->n;
}

static void add_sum(int64_t *sum, int64_t ns)
{
	*sum = saturate_add(*sum, ns);
}

static void add_cells(const struct visiting *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t position = v->alignment.position[i];
		const struct kernel_times *t = &v->times[i];
		if (position == NO_POSITION)
			continue;
		struct kernel_cell *cell = &v->rank->cells[position];
		add_sum(&cell->sum[MEASURE_DURATION], t->duration);
		add_sum(&cell->sum[MEASURE_GAP], t->gap);
		add_sum(&cell->sum[MEASURE_TO_END], t->to_end);
		cell->squares[0] += (double)t->duration * (double)t->duration;
		cell->squares[1] += (double)t->gap * (double)t->gap;
		cell->n++;
		if (t->launch != INT64_MIN) {
			add_sum(&cell->sum[MEASURE_LAUNCH], t->launch);
			cell->n_launch++;
		}
	}
}

static int prepare(struct visiting *v, const struct device_feeds *feeds, const struct step_ops *ops)
{
	const uint32_t slots = feeds->stream.n_slots;
	const struct feed *feed = &feeds->feeds[v->scan->process];
	int error = v->opened ? 0 : name_map_open(&v->map, feeds);
	v->opened = true;
	v->rank->ordinal = feed->trace.devices[feed->device].ordinal;
	if (!error && !v->counts)
		v->counts = malloc(((size_t)slots + 1) * sizeof(*v->counts));
	if (!error && !v->counts)
		error = -ENOMEM;
	if (!error && !v->main_slot)
		v->main_slot = measure_main_slot(ops, v->counts, slots);
	if (error || ops->n <= v->times_room)
		return error;
	free(v->times);
	v->times = malloc(ops->n * sizeof(*v->times));
	v->times_room = v->times ? ops->n : 0;
	return v->times ? 0 : -ENOMEM;
}

static int take_step(void *of, const struct device_feeds *feeds, const struct step_ops *ops)
{
	struct visiting *v = of;
	struct jitter_study *s = v->study;
	if (!keeps(s, v->scan, ops->step))
		return 0;
	int error = prepare(v, feeds, ops);
	if (!error && s->write_step && !atomic_load(&s->written)) {
		const int written =
			s->write_step(s, &(struct step_source){v->context, v->scan, feeds}, ops);
		if (written)
			atomic_store(&s->written, written);
	}
	if (!error)
		error = reference_align(&(struct align_input){&s->reference, &v->map, feeds, v->main_slot},
								ops, &v->alignment);
	if (error)
		return error;
	if (2 * (uint64_t)v->alignment.aligned < s->reference.n ||
		2 * (uint64_t)v->alignment.aligned < ops->n) {
		v->rank->left_out++;
		return 0;
	}
	const int64_t number = step_axis_number(&s->axis, v->scan, ops->step);
	struct rank_step *at = jitter_rank_step(s, v->index, step_axis_find(&s->axis, number));
	measure_step(ops, &(struct step_frame){v->main_slot, find_closing(v, ops)}, v->times, at);
	at->counted = true;
	v->rank->steps++;
	v->rank->differ += v->alignment.aligned != ops->n || ops->n != s->reference.n;
	v->rank->extra += ops->n - v->alignment.aligned;
	v->rank->missing += s->reference.n - v->alignment.aligned;
	add_cells(v, ops->n);
	return 0;
}

static void forget_steps(void *of)
{
	struct visiting *v = of;
	struct jitter_study *s = v->study;
	struct jitter_rank *rank = v->rank;
	memset(rank->cells, 0, ((size_t)s->reference.n + 1) * sizeof(*rank->cells));
	memset(jitter_rank_step(s, v->index, 0), 0, s->axis.n * sizeof(struct rank_step));
	rank->steps = rank->differ = rank->left_out = 0;
	rank->extra = rank->missing = 0;
	v->main_slot = 0;
}

static void visiting_close(struct visiting *v)
{
	name_map_close(&v->map);
	alignment_free(&v->alignment);
	free(v->times);
	free(v->counts);
}

static int visit(void *of, const struct device_context *context, const struct device_scan *scan)
{
	struct jitter_study *s = of;
	if (s->n_ranks == 0 || !s->wanted[scan->device])
		return 0;
	const uint32_t index = s->rank_of[scan->device];
	struct visiting v = {
		.study = s, .rank = &s->ranks[index], .context = context, .scan = scan, .index = index};
	const struct step_visit steps = {&v, take_step, forget_steps, s->write_step != NULL};
	int error = step_ops_read(context, scan, &steps, &v.rank->late);
	visiting_close(&v);
	return error;
}

static int visit_kept(void *of, const struct device_scan *scan, struct device_feeds *feeds)
{
	struct jitter_study *s = of;
	const uint32_t index = s->rank_of[scan->device];
	struct visiting v = {.study = s, .rank = &s->ranks[index], .scan = scan, .index = index};
	const struct step_visit steps = {&v, take_step, forget_steps, false};
	int error = step_ops_read_kept(feeds, &steps, &v.rank->late);
	visiting_close(&v);
	return error;
}

/* ---- after the visits ---- */

/* G of the first kernel: how much earlier the first of the ranks began, counted from the end of the
 * collective that closes the step. */
static void add_gaps_before(struct jitter_study *s, uint32_t step)
{
	int64_t furthest = INT64_MIN;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const struct rank_step *at = jitter_rank_step(s, r, step);
		if (at->counted && !at->closed) {
			s->unclosed++;
			return;
		}
		if (at->counted && at->reach > furthest)
			furthest = at->reach;
	}
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const struct rank_step *at = jitter_rank_step(s, r, step);
		if (!at->counted)
			continue;
		const int64_t gap = saturate_sub(furthest, at->reach);
		s->gap_before_ns[(size_t)r * s->axis.n + step] = gap;
		add_sum(&s->ranks[r].gap_before_ns, gap);
		s->closed = true;
	}
}

/* Has another device the same rank (one process with several GPUs)? */
static bool shares_rank(const struct jitter_study *s, uint32_t r)
{
	const int32_t rank = s->ranks[r].rank;
	return (r > 0 && s->ranks[r - 1].rank == rank) ||
		   (r + 1 < s->n_ranks && s->ranks[r + 1].rank == rank);
}

static bool shares_ordinal(const struct jitter_study *s, uint32_t r)
{
	for (uint32_t i = r; i > 0 && s->ranks[i - 1].rank == s->ranks[r].rank; i--)
		if (s->ranks[i - 1].ordinal == s->ranks[r].ordinal)
			return true;
	return s->ranks[r].ordinal < 0;
}

static int make_labels(struct jitter_study *s)
{
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		struct jitter_rank *rank = &s->ranks[r];
		const bool shared = shares_rank(s, r);
		int length = 0;
		if (rank->rank < 0 || (shared && shares_ordinal(s, r)))
			rank->label = strdup(rank->key);
		else if (shared)
			length = asprintf(&rank->label, "%d/%d", rank->rank, rank->ordinal);
		else
			length = asprintf(&rank->label, "%d", rank->rank);
		if (length < 0)
			rank->label = NULL;
		if (!rank->label)
			return -ENOMEM;
	}
	return 0;
}

static int end(void *of, const struct device_context *context, const struct device_scan *scans)
{
	struct jitter_study *s = of;
	(void)context;
	(void)scans;
	for (uint32_t step = 0; s->n_ranks && step < s->axis.n; step++)
		add_gaps_before(s, step);
	return make_labels(s);
}

struct run_study jitter_study_of(struct jitter_study *study)
{
	return (struct run_study){.of = study,
							  .begin = begin,
							  .visit = visit,
							  .ops_alone = true,
							  .begin_early = begin_early,
							  .visit_kept = visit_kept,
							  .settle = settle,
							  .end = end};
}

void jitter_study_close(struct jitter_study *s)
{
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		free(s->ranks[r].host);
		free(s->ranks[r].key);
		free(s->ranks[r].label);
		free(s->ranks[r].cells);
	}
	free(s->ranks);
	free(s->rank_of);
	free(s->wanted);
	free(s->at);
	free(s->gap_before_ns);
	reference_free(&s->reference);
	step_axis_close(&s->axis);
}

/* ---- what it says ---- */

/* The main stream's first kernel carries the gap before the step, and so does the time to the end
 * of all that come after it. */
static bool is_first(const struct jitter_study *s, uint32_t position)
{
	const struct reference *r = &s->reference;
	return r->n_lane[STREAM_MAIN] && r->lane[STREAM_MAIN][0] == position;
}

static bool is_before_first(const struct jitter_study *s, uint32_t position)
{
	const struct reference *r = &s->reference;
	return !r->n_lane[STREAM_MAIN] || position < r->lane[STREAM_MAIN][0];
}

double jitter_mean(const struct jitter_study *s, enum jitter_measure measure, uint32_t position,
				   uint32_t rank)
{
	const struct jitter_rank *of = &s->ranks[rank];
	const struct kernel_cell *cell = &of->cells[position];
	const uint32_t n = measure == MEASURE_LAUNCH ? cell->n_launch : cell->n;
	if (n == 0)
		return NAN;
	const double mean = (double)cell->sum[measure] / n;
	const bool before = (measure == MEASURE_GAP && is_first(s, position)) ||
						(measure == MEASURE_TO_END && !is_before_first(s, position));
	return before ? mean + (double)of->gap_before_ns / of->steps : mean;
}

double jitter_mean_of_ranks(const struct jitter_study *s, enum jitter_measure measure,
							uint32_t position)
{
	double sum = 0;
	uint32_t n = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const double mean = jitter_mean(s, measure, position, r);
		if (!isnan(mean)) {
			sum += mean;
			n++;
		}
	}
	return n ? sum / n : NAN;
}

double jitter_spread(const struct jitter_study *s, enum jitter_measure measure, uint32_t position,
					 uint32_t rank)
{
	const struct kernel_cell *cell = &s->ranks[rank].cells[position];
	if (cell->n == 0)
		return NAN;
	const double mean = (double)cell->sum[measure] / cell->n;
	const double variance = cell->squares[measure == MEASURE_GAP] / cell->n - mean * mean;
	return variance > 0 ? sqrt(variance) : 0;
}
