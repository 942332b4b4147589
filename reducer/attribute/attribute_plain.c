/* The short way through the attribution, for kernels that ran by themselves after time that is
 * dispatch as a whole: nearly all. Each is counted as attribute.c counts it, straight from what the
 * scan keeps. */
#include "attribute/attributing.h"

#include "base/holds.h"

#include <errno.h>
#include <stdlib.h>

enum { PLAIN_FLAGS = OP_MATCHED | OP_FIRST_OF_CALL | OP_FIRST_KERNEL };

/* What holds for all ops of a run. */
struct plain_limits {
	int64_t from, to;   /* of the windows and of counted time */
	int64_t free_until; /* nothing holds an op up that starts earlier */
	int64_t cap_ns, floor_ns;
};

int attribute_plain_open(struct attributing *a)
{
	const struct reduce_options *options = a->context->options;
	a->brief = !options->idle && !options->op && !a->worst->room;
	a->dispatched = calloc(a->ds->feeds[0].trace.strings.n, sizeof(*a->dispatched));
	return a->dispatched ? 0 : -ENOMEM;
}

static struct plain_limits limits_of(const struct attributing *a)
{
	const struct device_scan *scan = a->scan;
	const struct calibration *c = &a->engine.calibration;
	return (struct plain_limits){
		.from = scan->counted_from > scan->window_from ? scan->counted_from : scan->window_from,
		.to = scan->counted_to < scan->window_to ? scan->counted_to : scan->window_to,
		.free_until = held_ups_none_until(&a->held_ups),
		.cap_ns = c->dispatch_cap_ns,
		.floor_ns = c->floor_ns};
}

/* The last op before this one ended at `end`. */
static inline bool is_plain(const struct plain_limits *l, const struct kept_op *op,
							const struct kept_call *call, int64_t end)
{
	if (op->flags != PLAIN_FLAGS || op->group == GROUP_NCCL || op->step < 0 || end < l->from ||
		op->start >= l->to || op->start < end || op->start >= op->end)
		return false;
	return op->start == end ||
		   (op->start < l->free_until && saturate_add(end, l->cap_ns) >= op->start &&
			call->end <= end && saturate_add(call->start, l->floor_ns) <= end);
}

/* [from, to) of gap.h. */
static inline int take_dispatch(struct attributing *a, uint32_t name, int64_t from, int64_t to)
{
	const int64_t ns = to - from;
	int error = sweep_reach(&a->sweep, from);
	if (!error)
		error = timelines_unowed(a->engine.timelines, from, to);
	HOLDS(a->n_gaps == 0 || from >= a->gap_end);
	a->gap_end = to;
	a->n_gaps++;
	a->device->hull_idle_ns += ns;
	a->sweep.time_ns[LEAF_GPU_DISPATCH] += ns;
	step_cursor_add(&a->idle_steps, LEAF_GPU_DISPATCH, from, to);
	a->dispatched[name].ns += ns;
	a->dispatched[name].gaps++;
	return error;
}

static inline int take_plain(struct attributing *a, const struct kept_op *op,
							 const struct kept_call *call)
{
	static const enum work_rank ranks[GROUP_COUNT] = {[GROUP_MATMUL] = RANK_MATMUL,
													  [GROUP_MEMORY] = RANK_MEMORY,
													  [GROUP_CUSTOM] = RANK_CUSTOM,
													  [GROUP_OTHER] = RANK_OTHER};
	const int64_t dur_ns = op->end - op->start;
	struct device_summary *device = a->device;
	int error = sweep_op(&a->sweep, ranks[op->group], op->start, 0, op->end);
	device->busy_ns[op->group] = saturate_add(device->busy_ns[op->group], dur_ns);
	device->short_kernels += dur_ns < SHORT_KERNEL_NS;
	owners_add_launch(&a->owners, call->owner, op->group, dur_ns, call->end - call->start);
	if (!error)
		error = kernel_sums_add_ns(&a->kernels, 0, op->name, dur_ns);
	debt_horizon_pass(&a->engine.timelines->horizon, op->start);
	return error;
}

int attribute_plain(struct attributing *a, struct passed_ops *passed)
{
	struct opstream *stream = &a->ds->stream;
	const struct kept_ops *kept = stream->kept;
	const struct plain_limits limits = limits_of(a);
	const uint64_t n = a->ops.n, whole = TIMELINES_EVERY - n % TIMELINES_EVERY;
	uint64_t done = 0;
	int error = 0;
	/* the first op of each TIMELINES_EVERY goes the long way */
	for (; !error && done < whole && stream->head < kept->n && n % TIMELINES_EVERY; done++) {
		const struct kept_op *op = &kept->at[stream->head];
		const struct kept_call *call = &kept->calls.at[op->call];
		if (!is_plain(&limits, op, call, passed->end))
			break;
		stream->head++;
		error = opstream_load_calls(stream, op->start);
		if (!error && op->start > passed->end)
			error = take_dispatch(a, op->name, passed->end, op->start);
		if (!error)
			error = take_plain(a, op, call);
		passed->kept = op;
		passed->begin = op->start;
		passed->end = op->end;
	}
	a->ops.n += done;
	a->ops.inside += done;
	a->summary->quality.ops += done;
	a->device->kernels += done;
	a->device->launches += done;
	return error;
}

int attribute_plain_close(struct attributing *a)
{
	int error = 0;
	for (uint32_t name = 0; !error && name < a->ds->feeds[0].trace.strings.n; name++) {
		const struct dispatched *d = &a->dispatched[name];
		struct tally_row *row =
			d->gaps ? tally_row_of(&a->tally, 0, name, LEAF_GPU_DISPATCH) : NULL;
		if (row) {
			row->count += d->gaps;
			row->ns += d->ns;
		}
		error = d->gaps && !row ? -ENOMEM : 0;
	}
	return error;
}
