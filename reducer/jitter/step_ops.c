#include "jitter/step_ops.h"

#include "attribute/scan_pass.h"
#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { OPEN_STEPS = 4, LEAST_ROOM = 1024 };

struct step_reading {
	const struct step_visit *visit;
	const struct device_feeds *feeds;
	struct step_ops open[OPEN_STEPS]; /* step -1: free */
	int32_t given;                    /* the last step that was given on */
	uint64_t late;
};

int step_ops_add(struct step_ops *ops, const struct jitter_op *op)
{
	int error =
		room_for((void **)&ops->at, ops->n, &ops->room, LEAST_ROOM, sizeof(struct jitter_op));
	if (error)
		return error;
	if (ops->n && ops->at[ops->n - 1].order > op->order)
		ops->disordered = true;
	ops->at[ops->n] = *op;
	ops->at[ops->n].arrival = (uint32_t)ops->n;
	ops->n++;
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
	const struct coll_args *coll = opstream_coll(&r->feeds->stream, op);
	return coll && coll->comm ? r->feeds->feeds[op->feed].trace.comms[coll->comm].size : 0;
}

static int take(struct step_reading *r, const struct op *op)
{
	struct step_ops *place;
	const bool known = op->flags & OP_MATCHED;
	int error = find_place(r, op->step, &place);
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

static int read_all(struct step_reading *r, struct device_feeds *feeds)
{
	int error = device_feeds_rewind(feeds);
	for (const struct op *op; !error && (op = opstream_next(&feeds->stream));)
		if (op->kind == BATON_KERNEL && op->step >= 0)
			error = take(r, op);
	error = error ? error : feeds->stream.error;
	for (struct step_ops *ops; !error && (ops = earliest(r));)
		error = give_on(r, ops);
	return error;
}

int step_ops_read(const struct device_context *context, const struct device_scan *scan,
				  const struct step_visit *visit, uint64_t *late)
{
	struct device_feeds feeds;
	struct step_reading r = {.visit = visit, .feeds = &feeds, .given = -1};
	for (int i = 0; i < OPEN_STEPS; i++)
		r.open[i].step = -1;
	int error = device_feeds_open(context, scan, &feeds);
	bool again = false;
	if (error)
		return error;
	do {
		r.given = -1;
		r.late = 0;
		if (again)
			visit->again(visit->of);
		error = read_all(&r, &feeds);
		again = !error && scan_pass_learned(&feeds);
	} while (again);
	*late = r.late;
	for (int i = 0; i < OPEN_STEPS; i++)
		free(r.open[i].at);
	device_feeds_close(&feeds);
	return error;
}
