/* The second visit to a device: puts every nanosecond of its windows into a leaf, and every op into
 * the rows of its kernel and its collective. */
#include "attribute/carried.h"
#include "attribute/coll_kind.h"
#include "attribute/copy_sums.h"
#include "attribute/generations.h"
#include "attribute/invariants.h"
#include "attribute/kernel_sums.h"
#include "attribute/owner_rows.h"
#include "attribute/sent.h"
#include "attribute/step_caused.h"
#include "attribute/steps_row.h"
#include "attribute/sweep.h"
#include "attribute/tally.h"
#include "attribute/think.h"
#include "attribute/worst_gaps.h"
#include "base/diag.h"
#include "base/holds.h"
#include "base/source.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>

enum { TIMELINES_EVERY = 1024, SHORT_KERNEL_NS = 5000 };

struct attributing {
	const struct device_context *context;
	const struct device_scan *scan;
	struct device_feeds *ds;
	struct summary *summary;
	struct device_summary *device;
	struct gap_engine engine;
	struct held_ups held_ups;
	struct sweep sweep;
	struct step_leaves step_leaves;
	struct step_cursor idle_steps;
	struct step_caused step_caused;
	struct sent sent;
	struct think think;
	struct tally tally;
	struct owners owners;
	struct worst_gaps *worst;
	uint64_t n_gaps;
	int64_t gap_end; /* of the last one */
	uint64_t unmatched, unmatched_counted;
	struct steps_ops ops;
	uint64_t unsampled_ns;
	struct kernel_sums kernels;
	struct copy_sums copies;
	struct op_seen seen; /* of the NCCL op at hand */
};

/* An op of a counted step. */
static int add_op_time(struct attributing *a, const struct op *op)
{
	struct device_summary *device = a->device;
	int64_t dur_ns = op->end - op->start;
	device->busy_ns[op->group] += dur_ns;
	if (op->kind == BATON_KERNEL) {
		device->kernels++;
		device->launches += (op->flags & OP_FIRST_KERNEL) && (op->flags & OP_MATCHED);
		device->short_kernels += dur_ns < SHORT_KERNEL_NS;
	}
	if (copy_leaves_device(op))
		copy_sums_add(&a->copies, op);
	int error = owners_add_op(&a->owners, op);
	return error ? error : kernel_sums_add(&a->kernels, op);
}

static const char *unsplit_reason(const struct attributing *a, const struct coll_args *coll,
								  const struct coll_key *key, bool known, uint32_t size,
								  const struct coll_seen **seen)
{
	if (!coll) {
		*seen = known ? collectives_find(a->context->collectives, key) : NULL;
		return *seen && !(*seen)->ambiguous ? NULL : "no arguments";
	}
	if (!coll_kind_synchronises(coll->coll))
		return "not full-synchronising";
	if (size == 1) /* its own only member, whatever its number */
		return NULL;
	*seen = known ? collectives_find(a->context->collectives, key) : NULL;
	if (!*seen)
		return collectives_members(a->context->collectives, key->comm) < size || size == 0
				   ? "members missing"
				   : "sequence unknown";
	if ((*seen)->ambiguous)
		return "sequence unknown";
	return (*seen)->members == size && size > 0 ? NULL : "members missing";
}

/* Who arrived last, once per collective and member. */
static int note_late(struct attributing *a, const struct op *op, const struct coll_seen *seen)
{
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *key = summary_text(a->summary, a->device->key);
	struct late_summary *late =
		summary_late(a->summary, key, a->context->run->processes[feed->process].rank);
	if (!late)
		return -ENOMEM;
	late->taken++;
	if (seen->last != collective_member(feed->process, a->scan->device) || seen->members < 2)
		return 0;
	const int64_t caused_ns = seen->sum_ns - seen->min_ns * seen->members;
	late->last++;
	late->caused_ns += caused_ns;
	return step_caused_add(&a->step_caused, op->feed, op->step, caused_ns);
}

/* The same of a collective that has other members which are not in the run: when it was one of
 * them, they have a row together. */
static int note_partial(struct attributing *a, const struct op *op, const struct coll_seen *seen)
{
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *key = summary_text(a->summary, a->device->key);
	const int32_t rank = a->context->run->processes[feed->process].rank;
	struct late_summary *late = summary_partial(a->summary, key, rank);
	if (!late)
		return -ENOMEM;
	late->taken++;
	if (seen->last != collective_member(feed->process, a->scan->device))
		return 0;
	const bool missed = collective_missed(seen);
	const int64_t from_ns = missed ? seen->base_ns : seen->min_ns;
	late->last += !missed;
	late->caused_ns += missed ? 0 : seen->sum_ns - from_ns * seen->members;
	late = summary_partial(a->summary, "", -1);
	if (!late)
		return -ENOMEM;
	late->taken += seen->size - seen->members;
	late->last += missed;
	late->caused_ns += missed ? seen->sum_ns - from_ns * seen->members : 0;
	return 0;
}

static bool is_partial(const struct coll_seen *seen)
{
	return !seen->ambiguous && seen->members > 1 && seen->members < seen->size &&
		   seen->base_ns >= 0;
}

static unsigned kind_of(const struct attributing *a, const struct op *op,
						const struct coll_args *coll, const char *reason)
{
	if (!coll && !reason)
		return coll_kind_of_class(feed_kernel(&a->ds->feeds[op->feed], op->name)->class_name);
	return coll && coll->coll < BATON_COLL_END ? coll->coll : BATON_COLL_UNKNOWN;
}

static int add_nccl_row(struct attributing *a, const struct op *op, const struct coll_args *coll,
						uint32_t size, const char *reason, int64_t wait_ns)
{
	struct nccl_summary key = {
		.members = size, .bytes = coll ? coll->bytes : -1, .max_bytes_moved = -1};
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *comm =
		coll && coll->comm ? feed_text(feed, feed->trace.comms[coll->comm].name) : "";
	int error = summary_string(a->summary, coll_kind_name(kind_of(a, op, coll, reason)), &key.op);
	if (!error && comm[0])
		error = summary_string(a->summary, comm, &key.comm);
	if (!error && reason)
		error = summary_string(a->summary, reason, &key.reason);
	struct nccl_summary *row = error ? NULL : summary_nccl(a->summary, &key);
	if (!row)
		return -ENOMEM;
	if (coll && coll->bytes >= 0) {
		int64_t moved = coll->out_bytes > coll->bytes ? coll->out_bytes : coll->bytes;
		row->max_bytes_moved = moved > row->max_bytes_moved ? moved : row->max_bytes_moved;
	}
	int64_t dur = op->end - op->start;
	row->count++;
	row->wait_ns += wait_ns;
	row->unsplit_ns += reason ? dur : 0;
	row->transfer_ns += reason ? 0 : dur - wait_ns;
	return 0;
}

/* An NCCL op into the sweep: split when all its members were seen. */
static int sweep_nccl(struct attributing *a, const struct op *op)
{
	const struct coll_args *coll;
	const struct coll_seen *seen = NULL;
	struct coll_key key;
	bool known;
	int error = device_collective(a->ds, op, &a->scan->steps, &coll, &key, &known);
	if (error)
		return error;
	const struct feed *feed = &a->ds->feeds[op->feed];
	uint32_t size = coll && coll->comm ? feed->trace.comms[coll->comm].size : 0;
	if (!coll && known)
		size = a->ds->ordered;
	const char *reason = unsplit_reason(a, coll, &key, known, size, &seen);
	size = reason && !coll ? 0 : size;
	int64_t wait = reason || !seen ? 0 : op->end - op->start - seen->min_ns;
	wait = wait > 0 ? wait : 0; /* what others tell of it may be of other files than these */
	a->seen = (struct op_seen){.collective = coll_kind_name(kind_of(a, op, coll, reason)),
							   .coll = coll,
							   .members = size,
							   .unsplit = reason,
							   .wait_ns = wait};
	if (op->step >= 0) {
		error = add_nccl_row(a, op, coll, size, reason, wait);
		if (coll)
			sent_add(&a->sent, op->step, coll);
	}
	if (!error && seen && op->step >= 0 && (!reason || is_partial(seen)))
		error = reason ? note_partial(a, op, seen) : note_late(a, op, seen);
	if (error)
		return error;
	return sweep_op(&a->sweep, reason ? RANK_UNSPLIT : RANK_WAIT, op->start, op->start + wait,
					op->end);
}

static int sweep_any(struct attributing *a, const struct op *op)
{
	static const enum work_rank ranks[GROUP_COUNT] = {[GROUP_MATMUL] = RANK_MATMUL,
													  [GROUP_MEMORY] = RANK_MEMORY,
													  [GROUP_CUSTOM] = RANK_CUSTOM,
													  [GROUP_NCCL] = RANK_UNSPLIT,
													  [GROUP_OTHER] = RANK_OTHER};
	if (op->group == GROUP_NCCL)
		return sweep_nccl(a, op);
	if (copy_leaves_device(op))
		return sweep_op(&a->sweep, RANK_COPY, op->start, 0, op->end);
	return sweep_op(&a->sweep, op->kind == BATON_GRAPH ? RANK_GRAPH : ranks[op->group], op->start,
					0, op->end);
}

static void tell_idle(const struct attributing *a, const struct gap *gap, const struct piece *piece)
{
	const struct reduce_options *options = a->context->options;
	if (!options->idle)
		return;
	const char *name = piece->name ? feed_text(&a->ds->feeds[piece->feed], piece->name) : "";
	options->idle(&(struct idle_piece){a->worst->device, piece->from, piece->to, gap->k->step,
									   piece->leaf, name},
				  options->idle_context);
}

/* A piece of a gap that lies in the windows. */
static inline int add_piece(struct attributing *a, const struct gap *gap, const struct piece *piece)
{
	const int64_t ns = piece->to - piece->from;
	a->sweep.time_ns[piece->leaf] += ns;
	a->unsampled_ns += piece->unsampled ? (uint64_t)ns : 0;
	/* a gap lies in one step; its pieces come in any order */
	step_cursor_add(&a->idle_steps, piece->leaf, gap->a, gap->a + ns);
	int error = tally_add(&a->tally, piece, a->n_gaps);
	if (!error && owners_have_leaf(piece->leaf))
		error = owners_add_idle(&a->owners, gap->k, piece->leaf, piece->owner, ns, a->n_gaps);
	return error;
}

static int add_pieces(struct attributing *a, const struct gap *gap)
{
	int error = 0;
	for (size_t i = 0; !error && i < a->engine.pieces.n; i++) {
		struct piece paid;
		const struct piece *piece = &a->engine.pieces.at[i];
		if (piece->payer.any) {
			paid = piece_cause(piece);
			piece = &paid;
		}
		tell_idle(a, gap, piece);
		error = add_piece(a, gap, piece);
	}
	if (error || a->worst->room == 0)
		return error;
	return worst_gaps_consider(a->worst, gap, &a->engine.pieces, &a->owners, a->ds, a->scan);
}

static int take_gap(struct attributing *a, const struct gap *gap)
{
	const struct device_scan *scan = a->scan;
	const bool told = a->context->options->idle || a->worst->room; /* piece by piece */
	const bool dispatch = !told && gap_is_dispatch(&a->engine, gap);
	const bool counts = gap->a >= scan->counted_from && gap->b <= scan->counted_to;
	const uint64_t invalid = a->engine.invalid, hand_offs = a->engine.hand_offs;
	int error = gap->j ? sweep_reach(&a->sweep, gap->a) : 0;
	if (!error)
		error = dispatch ? gap_pass(&a->engine, gap) : gap_explain(&a->engine, gap);
	HOLDS(gap->a < gap->b && (a->n_gaps == 0 || gap->a >= a->gap_end));
	HOLDS(error || dispatch || pieces_fill(&a->engine.pieces, gap));
	a->gap_end = gap->b;
	a->n_gaps++;
	if (!counts) {
		a->engine.invalid = invalid;
		a->engine.hand_offs = hand_offs;
	} else if (gap->j)
		a->device->hull_idle_ns += gap->b - gap->a;
	else
		a->device->lead_in_ns = gap->b - gap->a;
	if (error || gap->a < scan->window_from || gap->b > scan->window_to)
		return error;
	if (!dispatch)
		return add_pieces(a, gap);
	return add_piece(a, gap,
					 &(struct piece){.from = gap->a,
									 .to = gap->b,
									 .leaf = LEAF_GPU_DISPATCH,
									 .feed = gap->k->feed,
									 .name = gap->k->name});
}

static void tell_op(struct attributing *a, const struct op *op)
{
	const struct reduce_options *options = a->context->options;
	struct op_seen seen = op->group == GROUP_NCCL ? a->seen : (struct op_seen){0};
	seen.device = a->worst->device;
	seen.feed = &a->ds->feeds[op->feed];
	seen.op = op;
	options->op(&seen, options->op_context);
}

static void count_op(struct attributing *a, const struct op *op)
{
	const bool unmatched = !(op->flags & OP_MATCHED);
	a->ops.n++;
	a->unmatched += unmatched;
	if (op->start < a->scan->counted_from || op->start >= a->scan->counted_to)
		return;
	a->ops.before += op->step == STEP_BEFORE;
	a->ops.inside += op->step >= 0;
	a->ops.after += op->step == STEP_AFTER;
	a->unmatched_counted += unmatched;
	a->summary->quality.ops++;
}

static int attribute_ops(struct attributing *a)
{
	const bool tells = a->context->options->op != NULL;
	struct op before = {0};
	int64_t begin = INT64_MIN, end = INT64_MIN;
	int error = device_feeds_rewind(a->ds);
	for (const struct op *op; !error && (op = opstream_next(&a->ds->stream));) {
		HOLDS(op->start >= begin && op->end >= op->start);
		begin = op->start;
		if (end == INT64_MIN && a->scan->lead_in_from < op->start)
			error = take_gap(a, &(struct gap){.a = a->scan->lead_in_from, .b = op->start, .k = op});
		else if (end != INT64_MIN && op->start > end)
			error = take_gap(a, &(struct gap){.a = end, .b = op->start, .k = op, .j = &before});
		if (!error)
			error = sweep_any(a, op);
		if (!error && tells)
			tell_op(a, op);
		if (!error && a->ops.n % TIMELINES_EVERY == 0) /* rows pile up though no gap asks */
			error =
				timelines_load(a->engine.timelines, op->start, end < op->start ? end : op->start);
		if (!error && op->step >= 0)
			error = add_op_time(a, op);
		count_op(a, op);
		debt_horizon_pass(&a->engine.timelines->horizon, op->start);
		if (op->end >= end) {
			before = *op;
			end = op->end;
		}
	}
	if (!error)
		error = sweep_finish(&a->sweep);
	step_cursor_finish(&a->idle_steps);
	return error ? error : a->ds->stream.error;
}

static void tell_steps(const struct attributing *a)
{
	const struct reduce_options *options = a->context->options;
	const struct steps *steps = &a->scan->steps;
	for (size_t i = 0; options->step && i < steps->n_markers; i++) {
		const struct marker *m = &steps->markers[i];
		if (m->step < 0)
			continue;
		options->step(
			&(struct step_place){
				.device = a->worst->device,
				.step = m->step,
				.number = steps->left ? step_called(steps, m->step) : m->number,
				.begin_ns = m->begin_ns,
				.end_ns = i + 1 < steps->n_markers ? m[1].begin_ns : m->end_ns,
				.window_from = a->scan->ends[m->step],
				.window_to = a->scan->ends[m->step + 1],
			},
			options->step_context);
	}
}

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

static int take_wait(void *context, int64_t from, int64_t to)
{
	struct attributing *a = context;
	return timelines_unowed(a->engine.timelines, from, to);
}

/* The process of the steps. */
static const struct feed *steps_feed(const struct attributing *a)
{
	return &a->ds->feeds[a->scan->process];
}

static int attribute_open(struct attributing *a, struct timelines *timelines)
{
	int error = kernel_sums_open(&a->kernels, a->ds);
	if (error)
		return error;
	a->engine.stream = &a->ds->stream;
	a->engine.timelines = timelines;
	a->engine.held_ups = &a->held_ups;
	held_ups_open(&a->held_ups, a->ds->feeds, a->ds->n);
	a->engine.calibration = a->scan->calibration;
	a->sweep.on_wait = take_wait;
	a->sweep.context = a;
	a->sweep.window_from = a->scan->window_from;
	a->sweep.window_to = a->scan->window_to;
	error = step_leaves_open(&a->step_leaves, a->scan->ends, a->scan->steps.n_steps,
							 series_most(a->context->run->n_devices));
	a->sweep.steps.into = a->idle_steps.into = &a->step_leaves;
	if (!error)
		error = sent_open(&a->sent, &a->step_leaves);
	if (!error)
		error = step_caused_open(&a->step_caused, &a->step_leaves, a->ds->n);
	if (!error)
		error = think_open(&a->think, &a->scan->steps, steps_feed(a)->trace.n_threads,
						   series_most(a->context->run->n_devices));
	if (!error)
		error = owners_open(&a->owners, a->ds->feeds, a->ds->n);
	timelines->think = &a->think;
	timelines->think_feed = a->scan->process;
	return error
			   ? error
			   : timelines_open(timelines, a->ds->feeds, a->ds->n, &a->owners, a->scan->hull_from);
}

static void attribute_close(struct attributing *a, struct timelines *timelines)
{
	timelines_close(timelines);
	kernel_sums_close(&a->kernels);
	free(a->engine.pieces.at);
	free(a->engine.before.at);
	held_ups_close(&a->held_ups);
	host_scratch_free(&a->engine.scratch);
	hand_off_free(&a->engine.hand_off);
	follow_free(&a->engine.follow);
	host_parts_free(&a->engine.followed);
	sweep_free(&a->sweep);
	step_caused_close(&a->step_caused);
	think_close(&a->think);
	sent_close(&a->sent);
	step_leaves_close(&a->step_leaves);
	tally_free(&a->tally);
	owners_close(&a->owners);
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
	const int32_t rank = a->context->run->processes[steps_feed(a)->process].rank;
	return think_store(&a->think, a->summary, rank, device);
}

/* What was gathered goes into the summary. */
static int store_device(struct attributing *a)
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
		error = copy_sums_store(&a->copies, a->summary, a->worst->device);
	if (error)
		return error;
	error = tally_store(&a->tally, a->ds, a->summary, a->worst->device);
	return error ? error : store_code(a);
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

/* The device, whose feeds are open. */
static int attribute_device(const struct device_context *context, const struct device_scan *scan,
							struct device_feeds *ds, struct reduction *out)
{
	struct timelines timelines = {0};
	struct worst_gaps worst = {
		.room = context->options->gaps, .leaf = context->options->gaps_leaf, .reduction = out};
	struct attributing a = {
		.context = context, .scan = scan, .ds = ds, .summary = &out->summary, .worst = &worst};
	const struct run_device *device = &context->run->devices[scan->device];
	worst.device = strings_get(&context->run->pool, device->key).at;
	a.device = summary_device(&out->summary, worst.device);
	int error = a.device ? attribute_open(&a, &timelines) : -ENOMEM;
	if (!error) {
		tell_steps(&a);
		error = attribute_ops(&a);
	}
	if (!error)
		error = store_device(&a);
	if (!error)
		error = check_partition(&a);
	attribute_close(&a, &timelines);
	return error;
}

int device_attribute(const struct device_context *context, const struct device_scan *scan,
					 struct reduction *out)
{
	struct device_feeds ds = {0};
	int error = device_feeds_open(context, scan, &ds);
	if (!error)
		error = attribute_device(context, scan, &ds, out);
	device_feeds_close(&ds);
	return error;
}

int device_visit(const struct device_context *context, const struct device_once *once,
				 struct device_scan *scan, struct reduction *out)
{
	struct device_feeds ds = {0};
	int error = device_scan_keep(context, once, scan, &ds);
	if (!error && once->attributes && !scan->empty && !scan->surprise)
		error = attribute_device(context, scan, &ds, out);
	device_feeds_close(&ds);
	return error;
}
