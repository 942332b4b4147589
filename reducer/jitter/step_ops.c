#include "jitter/step_ops.h"

#include "attribute/plain_run.h"
#include "attribute/scan_pass.h"
#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* NEAR_OPS: ops of two streams start in nearly the order they were launched in. */
enum { OPEN_STEPS = 4, LEAST_ROOM = 1024, NEAR_OPS = 64 };

struct step_reading {
	const struct step_visit *visit;
	const struct device_feeds *feeds;
	struct step_ops open[OPEN_STEPS]; /* step -1: free */
	struct step_ops *now;             /* where the last kernel went; NULL: none came */
	int32_t given;                    /* the last step that was given on */
	uint64_t late;
};

int step_ops_add(struct step_ops *ops, const struct jitter_op *op)
{
	int error =
		room_for((void **)&ops->at, ops->n, &ops->room, LEAST_ROOM, sizeof(struct jitter_op));
	if (error)
		return error;
	size_t place = ops->n;
	const size_t least = place > NEAR_OPS ? place - NEAR_OPS : 0;
	while (!ops->disordered && place > least && ops->at[place - 1].order > op->order)
		place--;
	if (place > 0 && ops->at[place - 1].order > op->order) {
		ops->disordered = true;
		place = ops->n;
	}
	if (place < ops->n)
		memmove(&ops->at[place + 1], &ops->at[place], (ops->n - place) * sizeof(*ops->at));
	ops->at[place] = *op;
	ops->at[place].arrival = (uint32_t)ops->n++;
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct jitter_op *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

void step_ops_sort(struct step_ops *ops)
{
	if (ops->disordered)
		sort_rows(ops->at, ops->n, sizeof(*ops->at), by_order);
	ops->disordered = false;
}

static struct step_ops *earliest(struct step_reading *r)
{
	struct step_ops *first = NULL;
	for (int i = 0; i < OPEN_STEPS; i++)
		if (r->open[i].step >= 0 && (!first || r->open[i].step < first->step))
			first = &r->open[i];
	return first;
}

static int give_on(struct step_reading *r, struct step_ops *ops)
{
	step_ops_sort(ops);
	int error = r->visit->step(r->visit->of, r->feeds, ops);
	r->given = ops->step;
	ops->step = -1;
	ops->n = 0;
	return error;
}

/* *place: where kernels of this step go, NULL if it was given on. */
static int find_place(struct step_reading *r, int32_t step, struct step_ops **place)
{
	struct step_ops *unused = NULL;
	*place = NULL;
	if (step <= r->given)
		return 0;
	for (int i = 0; i < OPEN_STEPS; i++) {
		if (r->open[i].step == step)
			*place = &r->open[i];
		if (r->open[i].step < 0)
			unused = &r->open[i];
	}
	if (*place)
		return 0;
	int error = 0;
	if (!unused) {
		unused = earliest(r);
		if (step < unused->step) /* it would be given on at once, alone */
			return 0;
		error = give_on(r, unused);
	}
	unused->step = step;
	*place = unused;
	return error;
}

static uint32_t comm_size(const struct step_reading *r, const struct op *op)
{
	const struct feed *feed = &r->feeds->feeds[op->feed];
	const struct coll_args *coll = op->flags & OP_LATE_COLL && feed->dense
									   ? feed_collective(feed, op->correlation)
									   : opstream_coll(&r->feeds->stream, op);
	return coll && coll->comm ? feed->trace.comms[coll->comm].size : 0;
}

static int take(struct step_reading *r, const struct op *op)
{
	struct step_ops *place;
	const bool known = op->flags & OP_MATCHED;
	int error = find_place(r, op->step, &place);
	r->now = place;
	if (error)
		return error;
	if (!place) {
		r->late++;
		return 0;
	}
	return step_ops_add(place, &(struct jitter_op){.start = op->start,
												   .end = op->end,
												   .ls = op->ls,
												   .le = op->le,
												   .stream = op->stream,
												   .order = known ? op->ls : op->start,
												   .name = op->name,
												   .call_name = op->call_name,
												   .feed = op->feed,
												   .slot = op->slot,
												   .comm_size = comm_size(r, op),
												   .nccl = op->group == GROUP_NCCL});
}

static int take_kernel(struct step_reading *r, const struct op *op)
{
	return op->kind == BATON_KERNEL && op->step >= 0 ? take(r, op) : 0;
}

/* Takes a kernel with its launch that is no collective, if it comes next in the step that had the
 * last one. False: it did not. */
static inline bool take_next(struct step_reading *r, const struct run_op *op, int32_t step,
							 int64_t stream)
{
	struct step_ops *now = r->now;
	const int64_t order = op->call->start;
	if (!now || now->step != step || now->n == now->room ||
		(now->n && now->at[now->n - 1].order > order))
		return false;
	now->at[now->n] = (struct jitter_op){.start = op->start,
										 .end = op->end,
										 .ls = order,
										 .le = op->call->end,
										 .stream = stream,
										 .order = order,
										 .name = op->name,
										 .call_name = op->call->name,
										 .slot = op->slot,
										 .arrival = (uint32_t)now->n};
	now->n++;
	return true;
}

static int give_rest(struct step_reading *r)
{
	int error = 0;
	for (struct step_ops *ops; !error && (ops = earliest(r));)
		error = give_on(r, ops);
	return error;
}

static int read_all(struct step_reading *r, struct device_feeds *feeds)
{
	int error = device_feeds_rewind(feeds);
	for (const struct op *op; !error && (op = opstream_next(&feeds->stream));)
		error = take_kernel(r, op);
	error = error ? error : feeds->stream.error;
	return error ? error : give_rest(r);
}

/* The kernels that come next, up to the first that needs more than take_next(). */
static void take_run(struct step_reading *r, struct plain_ops *plain)
{
	const struct plain_run run = plain_run_open(plain);
	const struct trace_stream *streams = run.feed->trace.streams;
	struct run_op op;
	uint32_t i = plain->at;
	for (; i < run.last && plain_run_op(&run, i, &op); i++) {
		const int32_t step = step_of_launch(plain->stream, op.call->start);
		if (step >= 0 && !take_next(r, &op, step, streams[op.stream].stream))
			break;
		plain_run_take(&run, &op);
	}
	plain->at = i;
}

/* The same straight from the columns of an only process. *odd: that cannot be done, and what was
 * given on is void. */
static int read_plain(struct step_reading *r, struct device_feeds *feeds, bool *odd)
{
	struct feed *feed = &feeds->feeds[0];
	struct plain_ops plain;
	struct op op;
	int error = device_feeds_rewind(feeds);
	if (!error)
		error = feed_keep_calls(feed);
	*odd = !feed->dense || feed->kept->twins;
	if (error || *odd)
		return error;
	plain_ops_open(&plain, &feeds->stream);
	for (take_run(r, &plain); !error && plain_ops_next(&plain, &op); take_run(r, &plain))
		error = take_kernel(r, &op);
	*odd = plain.odd;
	error = error ? error : plain.error;
	plain_ops_close(&plain);
	return error || *odd ? error : give_rest(r);
}

/* False: it needs more than take_next(). */
static inline bool take_kept(struct step_reading *r, const struct kept_ops *kept,
							 const struct kept_op *op)
{
	if (op->flags != RUN_FLAGS || op->kind != BATON_KERNEL || op->group == GROUP_NCCL)
		return false;
	const struct run_op next = {.start = op->start,
								.end = op->end,
								.call = &kept->calls.at[op->call],
								.name = op->name,
								.slot = op->slot};
	return op->step < 0 || take_next(r, &next, op->step, 0);
}

/* The same of ops that the scan has kept. */
static int read_kept(struct step_reading *r, struct device_feeds *feeds)
{
	struct opstream *stream = &feeds->stream;
	const struct kept_ops *kept = stream->kept;
	struct op op;
	int error = 0;
	stream->kept_more = 0;
	for (size_t i = 0; !error && i < kept->n; i++) {
		if (take_kept(r, kept, &kept->at[i]))
			continue;
		opstream_unfold(stream, &kept->at[i], &op);
		error = take_kernel(r, &op);
	}
	return error ? error : give_rest(r);
}

static void forget(struct step_reading *r, bool again)
{
	for (int i = 0; i < OPEN_STEPS; i++) {
		r->open[i].step = -1;
		r->open[i].n = 0;
		r->open[i].disordered = false;
	}
	r->now = NULL;
	r->given = -1;
	r->late = 0;
	if (again)
		r->visit->again(r->visit->of);
}

static void close_reading(struct step_reading *r)
{
	for (int i = 0; i < OPEN_STEPS; i++)
		free(r->open[i].at);
}

int step_ops_read(const struct device_context *context, const struct device_scan *scan,
				  const struct step_visit *visit, uint64_t *late)
{
	struct device_feeds feeds;
	struct step_reading r = {.visit = visit, .feeds = &feeds};
	int error = device_feeds_open(context, scan, &feeds);
	bool again = false, odd = true;
	if (error)
		return error;
	if (context->kept && !visit->at_once && feeds.n == 1 && plain_ops_fit(&feeds.stream)) {
		feeds.feeds[0].kept = &context->kept->calls;
		forget(&r, false);
		error = read_plain(&r, &feeds, &odd);
		again = true;
	}
	odd |= again && scan_pass_learned(&feeds);
	while (!error && odd) {
		forget(&r, again);
		again = true;
		error = read_all(&r, &feeds);
		odd = scan_pass_learned(&feeds);
	}
	*late = r.late;
	close_reading(&r);
	device_feeds_close(&feeds);
	return error;
}

int step_ops_read_kept(struct device_feeds *feeds, const struct step_visit *visit, uint64_t *late)
{
	struct step_reading r = {.visit = visit, .feeds = feeds};
	forget(&r, false);
	const int error = read_kept(&r, feeds);
	*late = r.late;
	close_reading(&r);
	return error;
}
