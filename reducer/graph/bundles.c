/* Launches that are taken together: what begins a bundle is part of the program, so that the bundles
 * of ranks that run the same program begin at the same launches. Where only time ends one early, its
 * parts keep the bundle's place among those of its name, and what differs in length is compared
 * with nobody. */
#include "graph/bundles.h"

#include "graph/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLEEP_NS = 50000,         /* another thread may have ended it: hand_offs.c */
	LONG_SILENT_NS = 1000000, /* host code that is a loss of its own */
	SLACK_NS = 20000,         /* a start so late is the launch path's jitter */
	LONG_CALL_NS = 20000,     /* a launch that takes longer may have waited for its place */
	SHORT_CALL_NS = 8000      /* what it takes itself */
};

enum call_part { PART_OF_NONE, PART_SILENT, PART_LAUNCH };

struct bundle {
	uint32_t first_call, last_call, first_op, last_op;
	uint32_t n;             /* launches; 0: there is none */
	int64_t work_ns;        /* from its start to its end, as the stream alone would have it */
	int64_t reach_ns;       /* when it would end, as its launches but the first would have it */
	int64_t long_ns;        /* what launches but the last took longer than they do themselves */
	int64_t prior_end, end; /* of its calls before the last one, and of all */
	bool whole;             /* begun where the program begins one */
};

struct bundling {
	struct process *p;
	uint32_t most;
	uint32_t *before;  /* by op: the one before it on its stream, or NO_INDEX */
	uint8_t *n_ops;    /* by call: 0, 1 or 2 for more */
	bool *woken;       /* by call: its thread slept before it */
	uint32_t *call_to; /* by call: its new number; NO_INDEX: dropped */
	bool *dropped;     /* by op */
	struct bundle now;
	uint32_t nth; /* launches since the program began a bundle anew */
};

/* ---- what may be taken together ---- */

static bool is_kernel(const struct bundling *b, const struct host_call *call)
{
	const struct device_op *op = &b->p->ops[call->first_op];
	return op->kind == BATON_KERNEL && op->coll == NO_INDEX && op->end >= op->begin &&
		   !op_is_nccl(b->p, op->name);
}

static enum call_part part_of(const struct bundling *b, uint32_t i)
{
	const struct host_call *call = &b->p->calls[i];
	if (call->class != CALL_PLAIN || call->own_op != NO_INDEX)
		return PART_OF_NONE;
	if (b->n_ops[i] == 0)
		return PART_SILENT;
	return b->n_ops[i] == 1 && is_kernel(b, call) ? PART_LAUNCH : PART_OF_NONE;
}

static uint32_t call_after(const struct process *p, uint32_t thread, int64_t ns)
{
	uint32_t low = 0, high = (uint32_t)p->n_calls;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct host_call *call = &p->calls[middle];
		if (call->thread < thread || (call->thread == thread && call->begin < ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_woken(struct bundling *b)
{
	const struct process *p = b->p;
	for (size_t i = 0; i < p->n_scheds; i++) {
		const struct sched_row *row = &p->scheds[i];
		if (row->slept - row->begin < SLEEP_NS)
			continue;
		const uint32_t call = call_after(p, p->sched_threads[i], row->begin);
		if (call < p->n_calls)
			b->woken[call] = true;
	}
}

static void look(struct bundling *b)
{
	const struct process *p = b->p;
	for (uint32_t s = 1; s < p->n_streams; s++)
		for (uint32_t i = 0; i < p->streams[s].n_ops; i++)
			b->before[p->streams[s].ops[i]] = i ? p->streams[s].ops[i - 1] : NO_INDEX;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].call != NO_INDEX && b->n_ops[p->ops[i].call] < 2)
			b->n_ops[p->ops[i].call]++;
	for (uint32_t i = 0; i < p->n_calls; i++)
		b->call_to[i] = i;
	find_woken(b);
}

/* ---- one bundle ---- */

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* How much later the op starts than its launch and the op before it on its stream explain. */
static int64_t late_ns(const struct bundling *b, const struct host_call *call)
{
	const struct process *p = b->p;
	const struct device_op *op = &p->ops[call->first_op], *before = &p->ops[b->now.last_op];
	const struct calibration *of = process_calibration(p, op);
	const int64_t by_stream =
		before->end + least(op->begin - before->end, process_queued_gap(p, op));
	const int64_t by_launch = least(call->begin + of->floor_ns, op->begin);
	return op->begin - (by_stream > by_launch ? by_stream : by_launch);
}

/* Does the program itself go on to something else? */
static bool is_other(const struct bundling *b, const struct host_call *call)
{
	const struct device_op *op = &b->p->ops[call->first_op], *last = &b->p->ops[b->now.last_op];
	return call->thread != b->p->calls[b->now.first_call].thread || op->stream != last->stream ||
		   op->step != last->step;
}

/* Does only time keep the launch from the bundle? */
static bool is_early(const struct bundling *b, uint32_t i)
{
	const struct host_call *call = &b->p->calls[i];
	const struct device_op *op = &b->p->ops[call->first_op], *last = &b->p->ops[b->now.last_op];
	return b->before[call->first_op] != b->now.last_op || op->begin < last->end ||
		   late_ns(b, call) > SLACK_NS;
}

static void begin(struct bundling *b, uint32_t i, bool whole)
{
	const struct host_call *call = &b->p->calls[i];
	const struct device_op *op = &b->p->ops[call->first_op];
	b->now = (struct bundle){.first_call = i,
							 .last_call = i,
							 .first_op = call->first_op,
							 .last_op = call->first_op,
							 .n = 1,
							 .work_ns = op->end - op->begin,
							 .reach_ns = INT64_MIN,
							 .end = call->end,
							 .whole = whole};
}

/* What explains the start also has what is left of it, so that one of both ways is exact. */
static void append(struct bundling *b, uint32_t i)
{
	const struct process *p = b->p;
	struct bundle *now = &b->now;
	const struct host_call *call = &p->calls[i], *last = &p->calls[now->last_call];
	const struct device_op *op = &p->ops[call->first_op], *before = &p->ops[now->last_op];
	const int64_t late = late_ns(b, call), ns = op->end - op->begin;
	const struct calibration *of = process_calibration(p, op);
	const int64_t by_launch = least(call->begin + of->floor_ns, op->begin);
	int64_t gap_ns = least(op->begin - before->end, process_queued_gap(p, op));
	const bool launched = before->end + gap_ns < by_launch;
	gap_ns += launched ? 0 : late;
	if (now->reach_ns != INT64_MIN)
		now->reach_ns += gap_ns + ns;
	const int64_t reach_ns = by_launch + (launched ? late : 0) + ns;
	now->reach_ns = reach_ns > now->reach_ns ? reach_ns : now->reach_ns;
	now->work_ns += gap_ns + ns;
	if (last->end - last->begin > LONG_CALL_NS)
		now->long_ns += last->end - last->begin - SHORT_CALL_NS;
	now->last_call = i;
	now->last_op = call->first_op;
	now->prior_end = now->end;
	now->end = call->end;
	now->n++;
}

static void tell_places(struct bundling *b, bool whole)
{
	const struct bundle *now = &b->now;
	struct host_call *first = &b->p->calls[now->first_call], *last = &b->p->calls[now->last_call];
	const bool divided = !(now->whole && whole);
	const uint8_t begin = !divided ? PLACE_SAME : now->whole ? PLACE_BEGIN : PLACE_NONE;
	const uint8_t end = !divided ? PLACE_SAME : whole ? PLACE_END : PLACE_NONE;
	last->place = end;
	first->place = first == last && begin == PLACE_NONE ? end : begin;
	b->p->ops[now->first_op].place = begin;
}

/* The first call becomes all but the last, the first op all of them. */
static void finish(struct bundling *b, bool whole)
{
	struct process *p = b->p;
	const struct bundle *now = &b->now;
	struct host_call *first = &p->calls[now->first_call], *last = &p->calls[now->last_call];
	struct device_op *op = &p->ops[now->first_op];
	if (now->n)
		tell_places(b, whole);
	if (now->n > 1) {
		for (uint32_t i = now->first_call + 1; i < now->last_call; i++)
			b->call_to[i] = NO_INDEX;
		for (uint32_t o = now->last_op; o != now->first_op; o = b->before[o])
			b->dropped[o] = true;
		first->end = now->prior_end;
		first->bundles = true;
		last->name = p->ops[now->last_op].name;
		last->first_op = NO_INDEX;
		op->end = p->ops[now->last_op].end;
		op->last_call = now->last_call;
		op->bundle =
			(struct op_bundle){now->work_ns, now->reach_ns - last->begin, now->long_ns, now->n};
	}
	b->now.n = 0;
}

/* ---- all of them ---- */

static void take_launch(struct bundling *b, uint32_t i)
{
	if (b->now.n && is_other(b, &b->p->calls[i])) {
		finish(b, true);
		b->nth = 0;
	}
	if (b->now.n && b->nth % b->most == 0)
		finish(b, true);
	if (b->now.n && is_early(b, i))
		finish(b, false);
	if (b->now.n)
		append(b, i);
	else
		begin(b, i, b->nth % b->most == 0);
	b->nth++;
}

static void take_call(struct bundling *b, uint32_t i)
{
	const struct host_call *call = &b->p->calls[i];
	const enum call_part part = part_of(b, i);
	const bool other = b->now.n && call->thread != b->p->calls[b->now.first_call].thread;
	const bool within = b->now.n && !other && call->begin < b->now.end;
	if (part == PART_OF_NONE || other ||
		(within && (part == PART_LAUNCH || call->end > b->now.end))) {
		finish(b, true);
		b->nth = 0;
	}
	if (b->now.n && (b->woken[i] || call->begin - b->now.end > LONG_SILENT_NS))
		finish(b, false);
	if (part == PART_LAUNCH)
		take_launch(b, i);
	else if (part == PART_SILENT && b->now.n && call->end > b->now.end)
		b->now.end = call->end;
}

static void renumber(struct bundling *b)
{
	struct process *p = b->p;
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_calls; i++) {
		if (b->call_to[i] == NO_INDEX)
			continue;
		p->calls[n] = p->calls[i];
		p->calls[n].first_op = p->calls[n].own_op = NO_INDEX;
		b->call_to[i] = n++;
	}
	p->n_calls = n;
	n = 0;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (b->dropped[i])
			continue;
		struct device_op *op = &p->ops[n];
		*op = p->ops[i];
		op->call = op->call == NO_INDEX ? NO_INDEX : b->call_to[op->call];
		op->last_call = op->last_call == NO_INDEX ? NO_INDEX : b->call_to[op->last_call];
		struct host_call *call = op->call == NO_INDEX ? NULL : &p->calls[op->call];
		if (call && call->first_op == NO_INDEX)
			call->first_op = n;
		if (call && call->class == CALL_WAITS)
			call->own_op = n;
		n++;
	}
	p->n_ops = n;
}

int bundles_make(struct process *p, uint32_t most)
{
	struct bundling b = {.p = p,
						 .most = most,
						 .before = malloc((p->n_ops + 1) * sizeof(*b.before)),
						 .n_ops = calloc(p->n_calls + 1, sizeof(*b.n_ops)),
						 .woken = calloc(p->n_calls + 1, sizeof(*b.woken)),
						 .call_to = malloc((p->n_calls + 1) * sizeof(*b.call_to)),
						 .dropped = calloc(p->n_ops + 1, sizeof(*b.dropped))};
	const int error = b.before && b.n_ops && b.woken && b.call_to && b.dropped ? 0 : -ENOMEM;
	if (!error) {
		look(&b);
		for (uint32_t i = 0; i < p->n_calls; i++)
			take_call(&b, i);
		finish(&b, true);
		renumber(&b);
	}
	free(b.before);
	free(b.n_ops);
	free(b.woken);
	free(b.call_to);
	free(b.dropped);
	return error ? error : process_fill_streams(p);
}

int bundles_link(const struct process *p, struct model *model)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct device_op *op = &p->ops[i];
		if (op->last_call == NO_INDEX)
			continue;
		const struct edge edge = {p->calls[op->last_call].begin_node, op->begin_node + 1,
								  op->bundle.tail_ns, op->unit, EDGE_LAUNCH};
		int error = graph_add_edge(&model->graph, &edge, NULL);
		if (error)
			return error;
	}
	return 0;
}
