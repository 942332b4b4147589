#include "graph/arrivals.h"

#include "base/radix.h"
#include "base/room.h"
#include "base/saturate.h"
#include "graph/held_rows.h"
#include "graph/host_funcs.h"
#include "graph/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECENT = 24,      /* ops of a stream that may still run when the next one starts */
	SLACK_NS = 20000, /* a start so much later than its causes is the launch path's jitter */
	HELD_LEAST_NS = 2000,
	OTHERS = 6 /* ops of other streams that are looked at */
};

int arrivals_add(struct arrivals *arrivals, const struct arrival *arrival)
{
	if (room_for((void **)&arrivals->at, arrivals->n, &arrivals->room, 1024,
				 sizeof(*arrivals->at)) != 0)
		return -ENOMEM;
	arrivals->at[arrivals->n++] = *arrival;
	return 0;
}

static int add_launch(struct arrivals *arrivals, const struct process *p, uint32_t op)
{
	const struct host_call *call = &p->calls[p->ops[op].call];
	const int64_t floor_ns = process_calibration(p, &p->ops[op])->floor_ns;
	return arrivals_add(arrivals, &(struct arrival){call->begin, floor_ns, op, call->begin_node,
													EDGE_LAUNCH, 0, 0});
}

/* The op of the stream that ended last before this one started; NULL: none. */
static const struct device_op *last_ended(const struct process *p, const struct process_stream *s,
										  uint32_t at)
{
	const struct device_op *op = &p->ops[s->ops[at]], *last = NULL;
	for (uint32_t i = at; i-- > 0 && at - i <= RECENT;) {
		const struct device_op *before = &p->ops[s->ops[i]];
		if (before->end <= op->begin && (!last || before->end > last->end))
			last = before;
	}
	return last;
}

static int add_op(struct arrivals *arrivals, struct model *model, const struct process *p,
				  const struct process_stream *s, uint32_t at)
{
	const uint32_t number = s->ops[at];
	const struct device_op *op = &p->ops[number];
	const struct device_op *before = at ? &p->ops[s->ops[at - 1]] : NULL;
	const bool called = op->call != NO_INDEX;
	const bool later = called && p->calls[op->call].first_op != number; /* in its launch */
	bool launch = called && op->launches;
	const int64_t gap_ns = later ? 0 : process_queued_gap(p, op);
	int error = 0;
	if (before && before->end > op->begin) {
		before = last_ended(p, s, at);
		launch |= called;
	}
	launch |= called && !before;
	if (launch)
		error = add_launch(arrivals, p, number);
	if (!error && before && later)
		error = nodes_note(model, op->begin - before->end);
	if (!error && before)
		error = arrivals_add(arrivals,
							 &(struct arrival){before->end, gap_ns, number, before->begin_node + 1,
											   EDGE_STREAM, before->stream, 0});
	return error;
}

int arrivals_of_streams(struct arrivals *arrivals, struct model *model, const struct process *p)
{
	for (uint32_t s = 1; s < p->n_streams; s++)
		for (uint32_t i = 0; i < p->streams[s].n_ops; i++) {
			int error = add_op(arrivals, model, p, &p->streams[s], i);
			if (error)
				return error;
		}
	return 0;
}

/* ---- edges ---- */

struct linking {
	struct process *process;
	struct model *model;
	struct held_rows held;
	struct host_funcs funcs;
	uint32_t *by_end;   /* ops */
	struct arrival *of; /* of the op in hand, by kind */
	size_t n, room;
};

/* The op of another stream of the device that ended just before this one started. */
static const struct device_op *ended_before(const struct linking *l, const struct device_op *op)
{
	const struct process *p = l->process;
	size_t low = 0, high = p->n_ops;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->ops[l->by_end[middle]].end <= op->begin)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && low - i < OTHERS; i--) {
		const struct device_op *other = &p->ops[l->by_end[i - 1]];
		if (op->begin - other->end > SLACK_NS)
			break;
		if (other != op && other->stream != op->stream && other->unit == op->unit &&
			other->begin < op->begin)
			return other;
	}
	return NULL;
}

static int64_t reach_ns(const struct arrival *a, const struct device_op *op)
{
	const int64_t apart_ns = op->begin - a->ns;
	return a->ns + (a->then_ns < apart_ns ? a->then_ns : apart_ns);
}

/* Who gets what nothing explains of the op's start. *held: what held it up; *late_ns: how much. */
static struct arrival *settle(struct linking *l, const struct device_op *op,
							  const struct held_row **held, int64_t *late_ns, bool *unexplained)
{
	struct arrival *binding = &l->of[0];
	for (size_t i = 1; i < l->n; i++)
		if (reach_ns(&l->of[i], op) > reach_ns(binding, op))
			binding = &l->of[i];
	*late_ns = op->begin - reach_ns(binding, op);
	*held = *late_ns > HELD_LEAST_NS
				? held_rows_ended(&l->held, saturate_sub(op->begin, SLACK_NS), op->begin)
				: NULL;
	*unexplained = false;
	if (*late_ns <= SLACK_NS || *held)
		return binding;
	const struct device_op *other = ended_before(l, op);
	if (other && l->process->streams[other->stream].aside)
		return binding; /* another time it would not have been in the way */
	if (other) {
		l->of[l->n] = (struct arrival){other->end,
									   op->begin - other->end,
									   binding->op,
									   other->begin_node + 1,
									   EDGE_HELD,
									   other->stream,
									   0};
		return &l->of[l->n++];
	}
	*unexplained = true;
	return binding;
}

static int note_held(struct model *model, const struct held *of)
{
	struct held *held = MODEL_ADD(model, helds);
	if (!held)
		return -ENOMEM;
	*held = *of;
	return 0;
}

static int note_unexplained(struct model *model, uint32_t edge, int64_t ns)
{
	if (room_for((void **)&model->unexplained_edges, model->n_unexplained_edges,
				 &model->unexplained_edges_room, 64, sizeof(edge)) != 0)
		return -ENOMEM;
	model->unexplained_edges[model->n_unexplained_edges++] = edge;
	model->unexplained_ns += ns;
	return 0;
}

/* What the functions take that ran between an op that is waited for and this one, whatever arrives
 * last now. Returns the most of it, with the gaps before and after. */
static int64_t add_functions(struct linking *l, const struct device_op *op)
{
	int64_t most_ns = 0;
	for (size_t i = 0; l->funcs.n && i < l->n; i++) {
		struct arrival *a = &l->of[i];
		bool follows;
		const int64_t ns = a->stream ? host_funcs_take(&l->funcs, a->stream,
													   (int64_t[]){a->ns, op->begin}, &follows)
									 : 0;
		/* one that was launched after the record of an event is not waited for */
		if (ns <= a->then_ns || (a->kind != EDGE_STREAM && !follows))
			continue;
		a->held_ns = ns - a->then_ns;
		a->then_ns = ns;
		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

/* What the op's start is later than without what held it up. */
static int64_t held_ns(const struct held_row *row, int64_t functions_ns, int64_t late_ns)
{
	const int64_t ran_ns = row->end - row->begin;
	const int64_t most_ns = functions_ns > ran_ns ? functions_ns : ran_ns;
	return row->kind == BATON_SYNC_HOST_FUNC && most_ns < late_ns ? most_ns : late_ns;
}

static int link_op(struct linking *l)
{
	const struct device_op *op = &l->process->ops[l->of[0].op];
	const bool shared = process_calibration(l->process, op)->shared;
	const struct held_row *held;
	int64_t late_ns;
	bool unexplained;
	const int64_t functions_ns = add_functions(l, op);
	const struct arrival *binding = settle(l, op, &held, &late_ns, &unexplained);
	for (size_t i = 0; i < l->n; i++) {
		const struct arrival *a = &l->of[i];
		uint32_t number;
		struct edge edge = {a->node, op->begin_node,
							a == binding ? op->begin - a->ns : reach_ns(a, op) - a->ns, op->unit,
							a->kind};
		int error = graph_add_edge(&l->model->graph, &edge, &number);
		if (!error && a->held_ns > 0)
			error = note_held(l->model, &(struct held){a->held_ns, number, op->unit,
													   BATON_SYNC_HOST_FUNC, a != binding});
		if (!error && a == binding && held)
			error = note_held(l->model, &(struct held){held_ns(held, functions_ns, late_ns), number,
													   op->unit, held->kind, false});
		if (!error && a == binding && unexplained && shared)
			error = note_held(l->model,
							  &(struct held){late_ns, number, op->unit, HELD_BY_PROCESS, false});
		else if (!error && a == binding && unexplained)
			error = note_unexplained(l->model, number, late_ns);
		if (error)
			return error;
	}
	return 0;
}

/* The arrivals of one op, by kind. */
static int link_all(const struct arrivals *arrivals, const struct radix_row *rows,
					struct linking *l)
{
	for (size_t i = 0, end; i < arrivals->n; i = end) {
		l->n = 0;
		for (end = i; end < arrivals->n && rows[end].key >> 8 == rows[i].key >> 8; end++) {
			const struct arrival *a = &arrivals->at[rows[end].index];
			if (a->ns > l->process->ops[a->op].begin)
				continue; /* an arrival after the start is a clock's error */
			if (l->n + 2 > l->room && room_double((void **)&l->of, &l->room, 16, sizeof(*l->of)))
				return -ENOMEM;
			l->of[l->n++] = *a;
		}
		int error = l->n ? link_op(l) : 0;
		if (error)
			return error;
	}
	return 0;
}

int arrivals_link(struct arrivals *arrivals, struct process *p, struct model *model)
{
	struct linking l = {.process = p, .model = model};
	const size_t most = arrivals->n > p->n_ops ? arrivals->n : p->n_ops;
	struct radix_row *rows = malloc((most + 1) * sizeof(*rows));
	l.by_end = malloc((p->n_ops + 1) * sizeof(*l.by_end));
	int error = rows && l.by_end ? held_rows_open(&l.held, p) : -ENOMEM;
	error = error ? error : host_funcs_open(&l.funcs, p);
	for (uint32_t i = 0; !error && i < p->n_ops; i++)
		rows[i] = (struct radix_row){(uint64_t)p->ops[i].end ^ UINT64_C(1) << 63, i};
	error = error ? error : radix_sort(rows, p->n_ops);
	for (uint32_t i = 0; !error && i < p->n_ops; i++)
		l.by_end[i] = rows[i].index;
	for (size_t i = 0; !error && i < arrivals->n; i++)
		rows[i] = (struct radix_row){(uint64_t)arrivals->at[i].op << 8 | arrivals->at[i].kind,
									 (uint32_t)i};
	error = error ? error : radix_sort(rows, arrivals->n);
	error = error ? error : link_all(arrivals, rows, &l);
	held_rows_close(&l.held);
	host_funcs_close(&l.funcs);
	free(rows);
	free(l.by_end);
	free(l.of);
	return error;
}
