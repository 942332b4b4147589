#include "attribute/gap.h"

#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

bool gap_queued(const struct opstream *stream, const struct gap *gap, int64_t floor_ns)
{
	return opstream_is_later_node(stream, gap->k) ||
		   (saturate_add(gap->k->ls, floor_ns) <= gap->a && gap->k->le <= gap->a);
}

static struct timeline *launcher(const struct gap_engine *engine, const struct op *op)
{
	return timelines_of(engine->timelines, op->feed, op->thread);
}

static int by_begin(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

static void sort_pieces(struct pieces *pieces)
{
	sort_rows(pieces->at, pieces->n, sizeof(*pieces->at), by_begin);
}

/* The instants at which the owner of `span` waits for another thread are told by what that one
 * does. */
static int explain_followed(struct gap_engine *engine, struct host_span span, struct host_part gap,
							size_t first)
{
	const struct follow_parts *found = &engine->follow.found;
	int error = follow_find(&engine->follow, engine->timelines, &span, gap, &engine->pieces, first);
	for (size_t i = 0, next; !error && i < found->n; i = next) {
		struct host_parts *parts = &engine->followed;
		parts->n = 0;
		for (next = i; !error && next < found->n && found->at[next].thread == found->at[i].thread;
			 next++)
			error = host_parts_add(parts, found->at[next].at.from, found->at[next].at.to);
		span.parts = parts->at;
		span.n_parts = parts->n;
		span.owner = timelines_of(engine->timelines, span.feed, found->at[i].thread);
		if (!error)
			error = host_explain(&span, &engine->scratch, &engine->pieces);
	}
	sort_pieces(&engine->pieces);
	return error;
}

/* The parts of [a, p1) that one thread owns. */
static int explain_owner(struct gap_engine *engine, const struct gap *gap, int64_t p1,
						 const struct timeline *owner, const struct host_parts *parts)
{
	uint32_t feed = (uint32_t)(owner->feed - engine->timelines->feeds);
	struct host_span span = {.parts = parts->at,
							 .n_parts = parts->n,
							 .gap = {gap->a, gap->b},
							 .launch = gap->k->ls,
							 .feed = feed,
							 .sampled = owner->feed->sampled,
							 .owner = owner,
							 .common = timelines_of(engine->timelines, feed, 0),
							 .stream = engine->stream};
	const size_t first = engine->pieces.n;
	int error = parts->n ? host_explain(&span, &engine->scratch, &engine->pieces) : 0;
	if (!error && owner->feed->trace.tells_lock)
		error = explain_followed(engine, span, (struct host_part){gap->a, p1}, first);
	return error;
}

/* Takes the owners of [a, p1), t and tj, to p1, and thread 0 of their processes. */
static int advance_owners(struct gap_engine *engine, const struct gap *gap, struct timeline *t,
						  struct timeline *tj, int64_t p1)
{
	const struct op *k = gap->k, *j = gap->j;
	struct timeline *all[4] = {t};
	size_t n = 1;
	if (tj != t)
		all[n++] = tj;
	all[n++] = timelines_of(engine->timelines, k->feed, 0);
	if (tj != t && j->feed != k->feed)
		all[n++] = timelines_of(engine->timelines, j->feed, 0);
	int error = 0;
	for (size_t i = 0; !error && i < n; i++)
		error = timeline_advance(all[i], gap->a, p1);
	return error;
}

/* [a, p1) that both threads have a part in. */
static int explain_hand_off(struct gap_engine *engine, const struct gap *gap,
							const struct hand_off_gap *between)
{
	struct hand_off *hand_off = &engine->hand_off;
	int error = hand_off_divide(hand_off, between);
	if (!error)
		error = explain_owner(engine, gap, between->to, between->last, &hand_off->last);
	if (!error)
		error = explain_owner(engine, gap, between->to, between->next, &hand_off->next);
	if (!hand_off->last.n)
		return error;
	engine->hand_offs++;
	sort_pieces(&engine->pieces);
	return error;
}

/* [a, p1): the launch had not begun. */
static int explain_host(struct gap_engine *engine, const struct gap *gap, int64_t p1)
{
	const struct op *k = gap->k, *j = gap->j;
	if (gap->a >= p1)
		return 0;
	struct timeline *t = launcher(engine, k), *tj = t;
	int error = timelines_load(engine->timelines, gap->b, gap->a);
	if (!error)
		error = timeline_advance(t, gap->a, gap->a);
	if (error)
		return error;
	if (j && j->flags & OP_MATCHED && !timeline_awake(t, gap->a))
		tj = launcher(engine, j);
	const int64_t next_record = timeline_next_begin(t);
	error = advance_owners(engine, gap, t, tj, p1);
	if (error)
		return error;
	if (tj != t)
		return explain_hand_off(engine, gap,
								&(struct hand_off_gap){t, tj, gap->a, p1, next_record});
	struct host_part all = {gap->a, p1};
	return explain_owner(engine, gap, p1, t, &(struct host_parts){.at = &all, .n = 1});
}

/* The leaf of k's own launch call where its queue is not full. */
static enum leaf launch_leaf(const struct gap_engine *engine, const struct op *k)
{
	const struct feed *feed = &engine->stream->feeds[k->feed];
	if (k->flags & OP_IS_PAGEABLE)
		return LEAF_HOST_SYNC;
	if (k->kind == BATON_KERNEL && k->le - k->ls >= LONG_LAUNCH_NS &&
		feed->names[k->name].first_launch_ns >= k->ls)
		return LEAF_HOST_MODULE_LOAD;
	return LEAF_CPU_LAUNCH_CALL;
}

/* What the op that ends the gap, or its launch, tells. */
static int add_op_piece(struct gap_engine *engine, const struct op *k, uint32_t name, int64_t from,
						int64_t to, enum leaf leaf)
{
	return pieces_add(&engine->pieces, &(struct piece){.from = from,
													   .to = to,
													   .leaf = leaf,
													   .feed = k->feed,
													   .name = name,
													   .owner = k->owner});
}

/* [from, to) of k's own launch. */
static int add_launch(struct gap_engine *engine, const struct op *k, int64_t from, int64_t to,
					  enum leaf leaf)
{
	return add_op_piece(engine, k, k->call_name, from, to, leaf);
}

/* Adds [from, to) as `leaf`, but where a row of `timeline` says that the command buffer was full as
 * queue_full. */
static int explain_buffer_full(struct gap_engine *engine, const struct timeline *timeline,
							   int64_t *from, int64_t to, enum leaf leaf, const struct op *k)
{
	for (;;) { /* the next row that lasts beyond *from; rows may overlap */
		int64_t begin = to, end = to;
		for (size_t i = 0; i < timeline->n_open; i++) {
			const struct host_rec *rec = &timeline->open[i];
			bool full = rec->mask & HOST_MASK(HOST_BIT_QUEUE_FULL) && rec->end > *from;
			if (full && rec->start < begin) {
				begin = rec->start < *from ? *from : rec->start;
				end = rec->end < to ? rec->end : to;
			}
		}
		int error = add_launch(engine, k, *from, begin, leaf);
		if (error || begin >= to)
			return error;
		error = add_launch(engine, k, begin, end, LEAF_GPU_QUEUE_FULL);
		if (error)
			return error;
		*from = end;
	}
}

/* [p1, p2): in k's own launch. Both timelines' "command buffer full" rows count. */
static int explain_launch(struct gap_engine *engine, const struct gap *gap, int64_t p1, int64_t p2)
{
	const struct op *k = gap->k;
	if (p1 >= p2)
		return 0;
	if (opstream_queue_full(engine->stream, k->ls))
		return add_launch(engine, k, p1, p2, LEAF_GPU_QUEUE_FULL);
	enum leaf leaf = launch_leaf(engine, k);
	struct timeline *own = launcher(engine, k),
					*common = timelines_of(engine->timelines, k->feed, 0);
	int error = timelines_load(engine->timelines, p2, gap->a);
	if (!error)
		error = timeline_advance(own, gap->a, p2);
	if (!error)
		error = timeline_advance(common, gap->a, p2);
	if (error)
		return error;
	size_t first = engine->pieces.n;
	int64_t from = p1;
	error = explain_buffer_full(engine, common, &from, p2, leaf, k);
	size_t last = engine->pieces.n;
	for (size_t i = first; own != common && !error && i < last;
		 i++) { /* the thread's own rows cut what is left */
		struct piece piece = engine->pieces.at[i];
		if (piece.leaf == LEAF_GPU_QUEUE_FULL)
			continue;
		engine->pieces.at[i].to = piece.from; /* replaced by what follows */
		from = piece.from;
		error = explain_buffer_full(engine, own, &from, piece.to, leaf, k);
	}
	return error;
}

static int explain_until(struct gap_engine *engine, const struct op *k, int64_t *at, int64_t until,
						 enum leaf leaf)
{
	int error = add_op_piece(engine, k, k->name, *at, until, leaf);
	*at = until > *at ? until : *at;
	return error;
}

/* Until when a launch may still be under way from CPU to GPU; a long call is not done before it
 * returns. */
static int64_t latency_reach(const struct op *k, int64_t floor_ns)
{
	int64_t from_begin = saturate_add(k->ls, 3 * floor_ns),
			from_end = saturate_add(k->le, 2 * floor_ns);
	return from_begin > from_end ? from_begin : from_end;
}

/* [at, b): nothing says what it was. */
static int explain_rest(struct gap_engine *engine, const struct gap *gap, int64_t at)
{
	const struct op *k = gap->k, *j = gap->j;
	const bool node = opstream_is_node(engine->stream, k);
	const bool later = node && !(k->flags & OP_FIRST_OF_CALL);
	const bool beside = node || (j && opstream_is_node(engine->stream, j));
	const enum leaf rest = engine->calibration.shared && !later ? LEAF_GPU_SHARED
						   : beside                             ? LEAF_UNKNOWN_UNRECORDED
																: LEAF_UNKNOWN_UNEXPLAINED;
	return explain_until(engine, k, &at, gap->b, rest);
}

/* [p2, b): launched, not started. */
static int explain_device(struct gap_engine *engine, const struct gap *gap, int64_t p2)
{
	const struct op *k = gap->k;
	const struct calibration *c = &engine->calibration;
	int64_t at = p2, until[HELD_UP_KINDS];
	int error = held_up_until(engine->held_ups, k, gap->b, until);
	if (error)
		return error;
	bool queued = gap_queued(engine->stream, gap, c->floor_ns);
	if (!queued) {
		int64_t reach = clamp(latency_reach(k, c->floor_ns), p2, gap->b);
		error = explain_until(engine, k, &at, reach, LEAF_CPU_LAUNCH_LATENCY);
		if (error)
			return error;
	}
	const int64_t ready = at;
	error = explain_until(engine, k, &at, until[HELD_UP_HOST_FUNC], LEAF_HOST_HOST_FUNC);
	if (error)
		return error;
	error = explain_until(engine, k, &at, until[HELD_UP_PEER], LEAF_GPU_DEPENDENCY);
	if (error)
		return error;
	if (queued || at > ready) {
		int64_t dispatched = clamp(saturate_add(at, c->dispatch_cap_ns), at, gap->b);
		error = explain_until(engine, k, &at, dispatched, LEAF_GPU_DISPATCH);
	}
	return error || at >= gap->b ? error : explain_rest(engine, gap, at);
}

/* Waiting for data, or loading it, would have begun that much earlier: it uses up what is owed. */
static void settle_input(struct debt *debt, const struct debt_launch *launch, int64_t from,
						 int64_t end)
{
	while (from < end) {
		int64_t to = end;
		struct owed *payer = debt_payer(debt, launch, from, &to);
		if (payer)
			debt_pay(payer, to - from);
		from = to;
	}
}

/* Launch overhead becomes the synchronising calls' as far as they owe. */
static int settle_overhead(struct gap_engine *engine, const struct op *k, struct piece piece)
{
	struct debt *debt = &engine->timelines->debts[k->feed];
	struct debt_launch launch = {launcher(engine, k)->caller, k->ls};
	int64_t end = piece.to;
	int error = 0;
	while (!error && piece.from < end) {
		struct piece part = piece;
		part.to = end;
		struct owed *payer = debt_payer(debt, &launch, part.from, &part.to);
		if (payer) {
			const struct sync_call *call = &payer->call;
			part.payer = (struct piece_payer){true, call->end, k->feed, call->name, call->owner};
			part.leaf = call->frees ? LEAF_HOST_ALLOC : LEAF_HOST_SYNC;
			if (piece.leaf == LEAF_CPU_LAUNCH_LATENCY) /* its name is the op's that came late */
				part.name = 0;
			debt_pay(payer, part.to - part.from);
		}
		error = pieces_add(&engine->pieces, &part);
		piece.from = part.to;
	}
	return error;
}

static bool is_overhead(enum leaf leaf)
{
	return leaf == LEAF_CPU_API || leaf == LEAF_CPU_FRAMEWORK || leaf == LEAF_CPU_LAUNCH_CALL ||
		   leaf == LEAF_CPU_LAUNCH_LATENCY;
}

static bool any_overhead(const struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++)
		if (is_overhead(pieces->at[i].leaf) || pieces->at[i].leaf == LEAF_HOST_INPUT)
			return true;
	return false;
}

/* The sync debt takes its share of the gap's pieces. */
static int settle_debt(struct gap_engine *engine, const struct gap *gap, int64_t p1)
{
	struct debt *debt = &engine->timelines->debts[gap->k->feed];
	struct debt_launch launch = {launcher(engine, gap->k)->caller, gap->k->ls};
	struct pieces all = engine->pieces;
	if (!any_overhead(&all))
		return 0;
	int error = timelines_advance(engine->timelines, gap->k->feed, gap->a, p1);
	if (error || !debt_owes(debt, launch.caller))
		return error;
	engine->pieces = engine->before;
	engine->before = all;
	engine->pieces.n = 0;
	for (size_t i = 0; !error && i < all.n; i++) {
		const struct piece *piece = &all.at[i];
		if (piece->leaf == LEAF_HOST_INPUT)
			settle_input(debt, &launch, piece->from, piece->to);
		error = is_overhead(piece->leaf) ? settle_overhead(engine, gap->k, *piece)
										 : pieces_add(&engine->pieces, piece);
	}
	return error;
}

/* What gap_explain() would find: no host row has to be looked at, and nothing is owed. */
static int explain_plain(struct gap_engine *engine, const struct gap *gap)
{
	int64_t at = gap->a,
			dispatched = clamp(saturate_add(at, engine->calibration.dispatch_cap_ns), at, gap->b);
	int error = explain_until(engine, gap->k, &at, dispatched, LEAF_GPU_DISPATCH);
	return error || at >= gap->b ? error : explain_rest(engine, gap, at);
}

int gap_explain(struct gap_engine *engine, const struct gap *gap)
{
	const struct op *k = gap->k;
	engine->pieces.n = 0;
	int error = gap->j ? timelines_unowed(engine->timelines, gap->a, gap->b) : 0;
	if (error) /* of the lead-in the clock knows */
		return error;
	if (gap_is_plain(engine, gap->a, k))
		return explain_plain(engine, gap);
	if (!gap_valid(gap)) {
		engine->invalid += (k->flags & OP_MATCHED) != 0;
		return add_op_piece(engine, k, k->name, gap->a, gap->b, LEAF_UNKNOWN_UNMATCHED);
	}
	int64_t p1 = clamp(k->ls, gap->a, gap->b), p2 = clamp(k->le, p1, gap->b);
	if (opstream_is_later_node(engine->stream, k))
		p1 = p2 = gap->a;
	error = explain_host(engine, gap, p1);
	if (!error)
		error = explain_launch(engine, gap, p1, p2);
	if (!error)
		error = explain_device(engine, gap, p2);
	return error ? error : settle_debt(engine, gap, p1);
}
