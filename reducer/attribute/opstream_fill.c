/* Reads ops ahead: joins them to their launches, puts those that start together in order and settles
 * what is known of each by then. */
#include "attribute/opstream_fill.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

/* `n` things of `bytes` bytes each: a ring of twice the room, every thing at its old number. */
static void *ring_double(const void *ring, uint64_t room, uint64_t head, uint64_t tail,
						 size_t bytes)
{
	char *larger = malloc(2 * room * bytes);
	for (uint64_t i = head; larger && i < tail; i++)
		memcpy(larger + (i & (2 * room - 1)) * bytes, (const char *)ring + (i & (room - 1)) * bytes,
			   bytes);
	return larger;
}

/* Joins the op to its launch and tells the launch about it. Ops of other devices only leave their
 * mark. Returns the launch, NULL for an op without a correlation. */
static struct launch *join_launch(struct feed *feed, struct op *op, bool ours)
{
	op->ls = op->le = INT64_MAX;
	op->thread = op->call_name = op->owner = 0;
	if (!op->correlation) {
		op->flags |= OP_FIRST_OF_CALL;
		return NULL;
	}
	struct launch *launch = feed_launch(feed, op->correlation);
	if (!launch)
		launch = feed_new_launch(feed, op->correlation);
	if (!launch->any_op)
		launch->first_op_start = op->start;
	launch->any_op = true;
	launch->pageable |= (op->flags & OP_IS_PAGEABLE) != 0;
	if (op->kind == BATON_KERNEL && launch->start < feed->names[op->name].first_launch_ns)
		feed->names[op->name].first_launch_ns = launch->start;
	if (!ours || launch->start == FEED_NO_CALL)
		return launch;
	op->flags |= OP_MATCHED;
	op->ls = launch->start;
	op->le = launch->end;
	op->thread = launch->thread;
	op->call_name = launch->name;
	op->owner = launch->owner;
	if (feed_call_mask(feed, launch->name) & HOST_MASK(HOST_BIT_GRAPH_LAUNCH))
		op->flags |= OP_GRAPH_CALL;
	return launch;
}

/* The place in the ring after the group; NULL without memory. */
static struct op *group_place(struct opstream *stream)
{
	uint64_t at = stream->tail + stream->n_group;
	if (at - stream->head == stream->room) {
		struct op *larger =
			ring_double(stream->ring, stream->room, stream->head, at, sizeof(*larger));
		if (!larger)
			return NULL;
		free(stream->ring);
		stream->ring = larger;
		stream->room *= 2;
	}
	return opstream_at(stream, at);
}

/* The op rows of a block, column by column. */
struct op_columns {
	const int64_t *start, *dur, *kind, *stream, *correlation, *name;
	const int64_t *bytes, *copy_dir, *pageable; /* NULL: the source does not say */
};

static struct op_columns columns_of(const struct rows *ops)
{
	const struct rows_block *b = ops->now;
	int64_t *const *c = b->column;
	return (struct op_columns){
		.start = c[OP_START],
		.dur = c[OP_DUR],
		.kind = c[OP_KIND],
		.stream = c[OP_STREAM],
		.correlation = c[OP_CORRELATION],
		.name = c[OP_NAME],
		.bytes = b->present & 1u << OP_BYTES ? c[OP_BYTES] : NULL,
		.copy_dir = b->present & 1u << OP_COPY_DIR ? c[OP_COPY_DIR] : NULL,
		.pageable = b->present & 1u << OP_PAGEABLE ? c[OP_PAGEABLE] : NULL,
	};
}

/* Makes `op` of row `i` of the feed, joined to *launch (NULL: it has no correlation). Returns whether
 * the op is one of the device's. */
__attribute__((always_inline)) static inline bool read_op(struct feed *feed,
														  const struct op_columns *c, uint32_t i,
														  struct op *op, struct launch **launch)
{
	const uint32_t stream_index = idmap_get(&feed->trace.stream_ids, (uint64_t)c->stream[i]);
	const bool ours = feed_is_ours(feed, stream_index);
	op->start = c->start[i];
	op->end = op->start + c->dur[i];
	op->correlation = (uint64_t)c->correlation[i];
	op->kind = (uint8_t)c->kind[i];
	op->name = idmap_get(&feed->trace.string_ids, (uint64_t)c->name[i]);
	op->flags = op->kind == BATON_MEMCPY && c->pageable && c->pageable[i] == 1 ? OP_IS_PAGEABLE : 0;
	*launch = join_launch(feed, op, ours);
	if (!ours)
		return false;
	op->bytes = c->bytes ? c->bytes[i] : -1;
	op->copy_dir = c->copy_dir ? (uint8_t)c->copy_dir[i] : 0;
	op->stream = feed->trace.streams[stream_index].stream;
	op->slot = feed->slots[stream_index];
	return true;
}

/* Takes the current op row of a feed into the group of those that start together. */
static int take_op(struct opstream *stream, uint32_t index)
{
	struct feed *feed = &stream->feeds[index];
	const struct op_columns columns = columns_of(&feed->ops);
	struct launch *launch;
	struct op *op = group_place(stream);
	if (!op)
		return -ENOMEM;
	op->feed = index;
	if (read_op(feed, &columns, feed->ops.now->at, op, &launch)) {
		stream->n_group++;
		stream->group_launch = launch ? launch->head.index : 0;
	}
	feed->ops_left = rows_next(&feed->ops);
	return feed->ops.error;
}

static int op_order(const void *a, const void *b, void *context)
{
	const struct opstream *stream = context;
	const struct op *x = a, *y = b;
	if (x->ls != y->ls)
		return x->ls < y->ls ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	const struct feed *xs = &stream->feeds[x->feed], *ys = &stream->feeds[y->feed];
	int names = strcmp(feed_text(xs, x->name), feed_text(ys, y->name));
	if (names)
		return names;
	int64_t xp = xs->trace.process.pid, yp = ys->trace.process.pid;
	return xp < yp ? -1 : xp > yp;
}

static int minima_add(struct opstream *stream, uint64_t position, int64_t ls)
{
	while (stream->minima_tail > stream->minima_head &&
		   stream->minima[stream->minima_tail - 1].ls >= ls)
		stream->minima_tail--;
	if (stream->minima_tail == stream->minima_room) {
		size_t n = stream->minima_tail - stream->minima_head;
		if (stream->minima_head <= n && /* else half of it is gone: move up instead of growing */
			room_for((void **)&stream->minima, stream->minima_tail, &stream->minima_room, 1024,
					 sizeof(*stream->minima)) != 0)
			return -ENOMEM;
		memmove(stream->minima, stream->minima + stream->minima_head, n * sizeof(*stream->minima));
		stream->minima_head = 0;
		stream->minima_tail = n;
	}
	stream->minima[stream->minima_tail++] = (struct late_min){position, ls};
	return 0;
}

/* The step of a launch; launches that follow one another mostly share it. */
static inline int32_t step_of_launch(struct opstream *stream, int64_t ls)
{
	if (ls < stream->step_from || ls >= stream->step_to)
		stream->step_known = steps_around(stream->steps, ls, &stream->step_from, &stream->step_to);
	return stream->step_known;
}

static int keep_coll(struct opstream *stream, struct op *op, const struct coll_args *args)
{
	if (stream->colls_tail - stream->colls_head == stream->colls_room) {
		uint64_t room = stream->colls_room;
		struct coll_args *larger = room ? ring_double(stream->colls, room, stream->colls_head,
													  stream->colls_tail, sizeof(*larger))
										: malloc(64 * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		free(stream->colls);
		stream->colls = larger;
		stream->colls_room = room ? 2 * room : 64;
	}
	op->flags |= OP_HAS_COLL;
	op->coll = (uint32_t)stream->colls_tail++;
	stream->colls[op->coll & (stream->colls_room - 1)] = *args;
	return 0;
}

/* The op's group; NCCL's kernels bring their arguments. */
static int settle_group(struct opstream *stream, struct feed *feed, struct op *op)
{
	op->group = GROUP_MEMORY;
	if (op->kind == BATON_MEMCPY || op->kind == BATON_MEMSET)
		return 0;
	op->group = GROUP_OTHER;
	if (op->kind == BATON_GRAPH)
		return 0;
	const struct coll_args *args =
		op->kind == BATON_KERNEL && op->correlation ? feed_collective(feed, op->correlation) : NULL;
	op->group = args ? GROUP_NCCL : (uint8_t)feed_kernel(feed, op->name)->group;
	return args ? keep_coll(stream, op, args) : 0;
}

/* The next op in order comes after those read ahead: now it is known whether it comes first in its
 * launch and in which step. */
__attribute__((always_inline)) static inline int settle_op(struct opstream *stream, struct op *op,
														   struct launch *launch)
{
	if (launch) {
		op->flags |= launch->n_ops++ == 0 ? OP_FIRST_OF_CALL : 0;
		if (op->kind == BATON_KERNEL)
			op->flags |= launch->n_kernels++ == 0 ? OP_FIRST_KERNEL : 0;
	}
	if (op->flags & OP_MATCHED)
		stream->slot_step[op->slot] = step_of_launch(stream, op->ls);
	op->step = stream->slot_step[op->slot];
	int error = settle_group(stream, &stream->feeds[op->feed], op);
	if (!error && (op->flags & (OP_MATCHED | OP_FIRST_OF_CALL)) == (OP_MATCHED | OP_FIRST_OF_CALL))
		error = minima_add(stream, stream->tail, op->ls);
	stream->tail += !error;
	return error;
}

/* Sorts the ops that start together, where they lie. */
static int sort_group(struct opstream *stream)
{
	size_t n = stream->n_group;
	struct op *group = malloc(n * sizeof(*group));
	if (!group)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		group[i] = *opstream_at(stream, stream->tail + i);
	sort_rows_with(group, n, sizeof(*group), op_order, stream);
	for (size_t i = 0; i < n; i++)
		*opstream_at(stream, stream->tail + i) = group[i];
	free(group);
	return 0;
}

static int flush_group(struct opstream *stream)
{
	size_t n = stream->n_group;
	int error = n > 1 ? sort_group(stream) : 0;
	for (size_t i = 0; !error && i < n; i++) {
		struct op *op = opstream_at(stream, stream->tail);
		struct feed *feed = &stream->feeds[op->feed];
		struct launch *launch = NULL;
		if (n == 1 && op->correlation) /* known, unless others of this instant pushed it out */
			launch = corr_ring_at(&feed->launches, stream->group_launch, op->correlation);
		if (!launch)
			launch = feed_launch(feed, op->correlation);
		error = settle_op(stream, op, launch);
	}
	stream->n_group = 0;
	return error;
}

static bool next_start(const struct opstream *stream, int64_t *start)
{
	bool found = false;
	for (uint32_t i = 0; i < stream->n_feeds; i++) {
		const struct feed *s = &stream->feeds[i];
		if (!s->ops_left)
			continue;
		int64_t t = rows_value(&s->ops, OP_START);
		if (!found || t < *start)
			*start = t;
		found = true;
	}
	return found;
}

/* Takes the ops of the only feed, up to the last of its block or the first of a group: nearly
 * all. */
static int take_run(struct opstream *stream)
{
	struct feed *feed = &stream->feeds[0];
	struct rows *rows = &feed->ops;
	if (!feed->ops_left)
		return 0;
	const struct op_columns c = columns_of(rows);
	const int64_t until = rows->now_until;
	const uint32_t first = rows->now->at, last = rows->now->n - 1;
	int error = 0;
	for (uint32_t i = first; !error && i < last && stream->tail - stream->head < OPSTREAM_AHEAD;
		 i++) {
		struct op *op = opstream_at(stream, stream->tail);
		struct launch *launch;
		if (c.start[i + 1] >= until || c.start[i + 1] == c.start[i])
			break; /* the next row is another block's, or starts with this one */
		error = feed_load_calls(feed, c.start[i] + feed->late_ns);
		if (error)
			break;
		op->feed = 0;
		if (read_op(feed, &c, i, op, &launch))
			error = settle_op(stream, op, launch);
		rows->now->at = i + 1;
	}
	rows->read += rows->now->at - first;
	return error;
}

/* Takes the ops of all feeds that start at `start`. */
static int take_instant(struct opstream *stream, int64_t start)
{
	int error = 0;
	for (uint32_t i = 0; !error && i < stream->n_feeds; i++) {
		struct feed *s = &stream->feeds[i];
		error = feed_load_calls(s, start + s->late_ns);
		while (!error && s->ops_left && rows_value(&s->ops, OP_START) == start)
			error = take_op(stream, i);
	}
	return error ? error : flush_group(stream);
}

int opstream_fill(struct opstream *stream)
{
	int64_t start = 0;
	int error = 0;
	while (!error && stream->tail - stream->head < OPSTREAM_AHEAD) {
		if (stream->n_feeds == 1)
			error = take_run(stream);
		if (error || stream->tail - stream->head >= OPSTREAM_AHEAD || !next_start(stream, &start))
			break;
		error = take_instant(stream, start);
	}
	/* at the end: the last calls may be late launches, to be learned */
	for (uint32_t i = 0; !error && stream->head == stream->tail && i < stream->n_feeds; i++)
		error = feed_load_calls(&stream->feeds[i], INT64_MAX);
	return error;
}
