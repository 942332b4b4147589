#include "attribute/gap.h"

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static int64_t add(int64_t a,
				   int64_t b) /* times are within 2^62, but l and durations come on top */
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

bool gap_queued(const struct opstream *stream, const struct gap *gap, int64_t floor_ns)
{
	return opstream_is_later_node(stream, gap->k) || add(gap->k->ls, floor_ns) <= gap->a;
}

static struct lane *launcher(const struct gap_engine *engine, const struct op *op)
{
	return lanes_lane(engine->lanes, op->source, op->thread);
}

/* [from, to) of [a, p1), owned by one thread. */
static int explain_owner(struct gap_engine *engine, const struct gap *gap, const struct lane *owner,
						 uint32_t source, int64_t from, int64_t to)
{
	struct host_span span = {.from = from,
							 .to = to,
							 .launch = gap->k->ls,
							 .source = source,
							 .owner = owner,
							 .common = lanes_lane(engine->lanes, source, 0),
							 .stream = engine->stream};
	const struct op *j = gap->j;
	const struct lane *t = launcher(engine, gap->k);
	int64_t p1 = clamp(gap->k->ls, gap->a, gap->b);
	const struct host_rec *sync = j && j->flags & OP_MATCHED ? lane_last_sync(t, p1) : NULL;
	if (sync && sync->end > j->ls) {
		span.tail_from = sync->end;
		span.tail_to = add(sync->end, sync->end - sync->start);
		span.tail_source = gap->k->source;
		span.tail_name = sync->name;
	}
	return host_explain(&span, &engine->scratch, &engine->pieces);
}

/* [a, p1): the launch had not begun. */
static int explain_host(struct gap_engine *engine, const struct gap *gap, int64_t p1)
{
	const struct op *k = gap->k, *j = gap->j;
	if (gap->a >= p1)
		return 0;
	struct lane *t = launcher(engine, k), *tj = t;
	int64_t w = gap->a;
	int error = lanes_load(engine->lanes, gap->b, gap->a);
	if (!error)
		error = lane_advance(t, gap->a, gap->a);
	if (j && j->flags & OP_MATCHED && launcher(engine, j) != t) {
		tj = launcher(engine, j);
		w = clamp(lane_next_begin(t), gap->a, p1);
	}
	engine->hand_offs += w > gap->a;
	if (!error)
		error = lane_advance(t, gap->a, p1);
	if (!error && tj != t)
		error = lane_advance(tj, gap->a, p1);
	if (!error)
		error = lane_advance(lanes_lane(engine->lanes, k->source, 0), gap->a, p1);
	if (!error && tj != t && j->source != k->source)
		error = lane_advance(lanes_lane(engine->lanes, j->source, 0), gap->a, p1);
	if (!error && w > gap->a)
		error = explain_owner(engine, gap, tj, j->source, gap->a, w);
	return error ? error : explain_owner(engine, gap, t, k->source, w, p1);
}

/* The leaf of k's own launch call where its queue is not full. */
static enum leaf launch_leaf(const struct gap_engine *engine, const struct op *k)
{
	const struct source *source = &engine->stream->sources[k->source];
	if (k->flags & OP_IS_PAGEABLE)
		return LEAF_HOST_SYNC;
	if (k->kind == BATON_KERNEL && k->le - k->ls >= LONG_LAUNCH_NS &&
		source->names[k->name].first_launch_ns >= k->ls)
		return LEAF_HOST_MODULE_LOAD;
	return LEAF_CPU_LAUNCH_CALL;
}

/* Adds [from, to) as `leaf`, but where a row of `lane` says that the command buffer was full as
 * queue_full. */
static int explain_buffer_full(struct gap_engine *engine, const struct lane *lane, int64_t *from,
							   int64_t to, enum leaf leaf, const struct op *k)
{
	for (;;) { /* the next row that lasts beyond *from; rows may overlap */
		int64_t begin = to, end = to;
		for (size_t i = 0; i < lane->n_open; i++) {
			const struct host_rec *rec = &lane->open[i];
			bool full = rec->mask & HOST_MASK(HOST_BIT_QUEUE_FULL) && rec->end > *from;
			if (full && rec->start < begin) {
				begin = rec->start < *from ? *from : rec->start;
				end = rec->end < to ? rec->end : to;
			}
		}
		int error = pieces_add(&engine->pieces, *from, begin, leaf, k->source, k->call_name);
		if (error || begin >= to)
			return error;
		error =
			pieces_add(&engine->pieces, begin, end, LEAF_GPU_QUEUE_FULL, k->source, k->call_name);
		if (error)
			return error;
		*from = end;
	}
}

/* [p1, p2): in k's own launch. Both lanes' "command buffer full" rows count. */
static int explain_launch(struct gap_engine *engine, const struct gap *gap, int64_t p1, int64_t p2)
{
	const struct op *k = gap->k;
	if (p1 >= p2)
		return 0;
	if (opstream_queue_full(engine->stream, k->ls))
		return pieces_add(&engine->pieces, p1, p2, LEAF_GPU_QUEUE_FULL, k->source, k->call_name);
	enum leaf leaf = launch_leaf(engine, k);
	struct lane *own = launcher(engine, k), *common = lanes_lane(engine->lanes, k->source, 0);
	int error = lanes_load(engine->lanes, p2, gap->a);
	if (!error)
		error = lane_advance(own, gap->a, p2);
	if (!error)
		error = lane_advance(common, gap->a, p2);
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

/* [p2, b): launched, not started. */
static int explain_device(struct gap_engine *engine, const struct gap *gap, int64_t p2)
{
	const struct op *k = gap->k, *j = gap->j;
	const struct calibration *c = &engine->calibration;
	int64_t at = p2;
	int error;
	if (gap_queued(engine->stream, gap, c->floor_ns)) {
		at = clamp(add(p2, c->dispatch_cap_ns), p2, gap->b);
		error = pieces_add(&engine->pieces, p2, at, LEAF_GPU_DISPATCH, k->source, k->name);
	} else {
		int64_t reach = add(k->ls, 3 * c->floor_ns);
		at = clamp(reach, p2, gap->b);
		error = pieces_add(&engine->pieces, p2, at, LEAF_CPU_LAUNCH_LATENCY, k->source, k->name);
	}
	if (error || at >= gap->b)
		return error;
	bool node = opstream_is_node(engine->stream, k) || (j && opstream_is_node(engine->stream, j));
	enum leaf rest = node ? LEAF_UNKNOWN_UNRECORDED : LEAF_UNKNOWN_UNEXPLAINED;
	return pieces_add(&engine->pieces, at, gap->b, rest, k->source, k->name);
}

int gap_explain(struct gap_engine *engine, const struct gap *gap)
{
	const struct op *k = gap->k;
	engine->pieces.n = 0;
	if (!gap_valid(gap)) {
		engine->invalid += (k->flags & OP_MATCHED) != 0;
		return pieces_add(&engine->pieces, gap->a, gap->b, LEAF_UNKNOWN_UNMATCHED, k->source,
						  k->name);
	}
	int64_t p1 = clamp(k->ls, gap->a, gap->b), p2 = clamp(k->le, p1, gap->b);
	if (opstream_is_later_node(engine->stream, k))
		p1 = p2 = gap->a;
	int error = explain_host(engine, gap, p1);
	if (!error)
		error = explain_launch(engine, gap, p1, p2);
	return error ? error : explain_device(engine, gap, p2);
}
