/* The second visit to a device: puts every nanosecond of its windows into a leaf, and every op into
 * the rows of its kernel and its collective. */
#include "attribute/attributing.h"

#include "attribute/invariants.h"
#include "base/holds.h"
#include "base/saturate.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>

/* An op of a counted step. */
static int add_op_time(struct attributing *a, const struct op *op)
{
	struct device_summary *device = a->device;
	int64_t dur_ns = op->end - op->start;
	device->busy_ns[op->group] = saturate_add(device->busy_ns[op->group], dur_ns);
	if (op->kind == BATON_KERNEL) {
		device->kernels++;
		device->launches += (op->flags & OP_FIRST_KERNEL) && (op->flags & OP_MATCHED);
		device->short_kernels += dur_ns < SHORT_KERNEL_NS;
	}
	int error = copy_leaves_device(op) ? copy_sums_add(&a->copies, op) : 0;
	error = error ? error : owners_add_op(&a->owners, op);
	return error ? error : kernel_sums_add(&a->kernels, op);
}

static int sweep_any(struct attributing *a, const struct op *op)
{
	static const enum work_rank ranks[GROUP_COUNT] = {[GROUP_MATMUL] = RANK_MATMUL,
													  [GROUP_MEMORY] = RANK_MEMORY,
													  [GROUP_CUSTOM] = RANK_CUSTOM,
													  [GROUP_NCCL] = RANK_UNSPLIT,
													  [GROUP_OTHER] = RANK_OTHER};
	if (op->group == GROUP_NCCL)
		return attribute_nccl(a, op);
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
	const bool counts = gap->a >= scan->counted_from && gap->b <= scan->counted_to;
	const uint64_t invalid = a->engine.invalid, hand_offs = a->engine.hand_offs;
	int error = gap->j ? sweep_reach(&a->sweep, gap->a) : 0;
	if (!error)
		error = gap_explain(&a->engine, gap);
	HOLDS(gap->a < gap->b && (a->n_gaps == 0 || gap->a >= a->gap_end));
	HOLDS(error || pieces_fill(&a->engine.pieces, gap));
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
	return add_pieces(a, gap);
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

/* The idle time before an op, if there is any. */
static int take_idle(struct attributing *a, struct passed_ops *passed, const struct op *op)
{
	if (passed->end == INT64_MIN && a->scan->lead_in_from < op->start)
		return take_gap(a, &(struct gap){.a = a->scan->lead_in_from, .b = op->start, .k = op});
	if (passed->end == INT64_MIN || op->start <= passed->end)
		return 0;
	if (passed->kept)
		opstream_unfold(&a->ds->stream, passed->kept, &passed->op);
	passed->kept = NULL;
	return take_gap(a, &(struct gap){passed->end, op->start, op, &passed->op});
}

static int take_op(struct attributing *a, struct passed_ops *passed, const struct op *op)
{
	HOLDS(op->start >= passed->begin && op->end >= op->start);
	passed->begin = op->start;
	int error = take_idle(a, passed, op);
	if (!error)
		error = sweep_any(a, op);
	if (!error && a->context->options->op)
		tell_op(a, op);
	if (!error && a->ops.n % TIMELINES_EVERY == 0) /* rows pile up though no gap asks */
		error = timelines_load(a->engine.timelines, op->start,
							   passed->end < op->start ? passed->end : op->start);
	if (!error && op->step >= 0)
		error = add_op_time(a, op);
	count_op(a, op);
	debt_horizon_pass(&a->engine.timelines->horizon, op->start);
	if (op->end >= passed->end) {
		passed->kept = NULL;
		passed->op = *op;
		passed->end = op->end;
	}
	return error;
}

static int attribute_ops(struct attributing *a)
{
	struct opstream *stream = &a->ds->stream;
	struct passed_ops passed = {.begin = INT64_MIN, .end = INT64_MIN};
	int error = device_feeds_rewind(a->ds);
	for (const struct op *op; !error && (op = opstream_next(stream));) {
		error = take_op(a, &passed, op);
		if (!error && a->brief && stream->kept && stream->never_full)
			error = attribute_plain(a, &passed);
	}
	if (!error)
		error = attribute_plain_close(a);
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

static int take_wait(void *context, int64_t from, int64_t to)
{
	struct attributing *a = context;
	return timelines_unowed(a->engine.timelines, from, to);
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
	error = attribute_plain_open(a);
	if (error)
		return error;
	error = step_leaves_open(&a->step_leaves, a->scan->ends, a->scan->steps.n_steps,
							 series_most(a->context->run->n_devices));
	a->sweep.steps.into = a->idle_steps.into = &a->step_leaves;
	if (!error)
		error = sent_open(&a->sent, &a->step_leaves);
	if (!error)
		error = step_caused_open(&a->step_caused, &a->step_leaves, a->ds->n);
	if (!error)
		error = think_open(&a->think, &a->scan->steps, attributing_feed(a)->trace.n_threads,
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
	copy_sums_close(&a->copies);
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
	free(a->dispatched);
	owners_close(&a->owners);
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
		error = attribute_store(&a);
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
