/* Reads ops ahead: joins them to their launches, puts those that start together in order and settles
 * what is known of each by then. */
#include "attribute/opstream_fill.h"

#include "attribute/kept_ops.h"
#include "attribute/op_join.h"
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

int op_order(const void *a, const void *b, void *context)
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

static int minima_put(struct opstream *stream, uint64_t position, int64_t ls)
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

/* Launches mostly follow one another. */
static inline int minima_add(struct opstream *stream, uint64_t position, int64_t ls)
{
	const size_t tail = stream->minima_tail;
	if (tail == stream->minima_room ||
		(tail > stream->minima_head && stream->minima[tail - 1].ls >= ls))
		return minima_put(stream, position, ls);
	stream->minima[tail] = (struct late_min){position, ls};
	stream->minima_tail = tail + 1;
	return 0;
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

/* The next op in order comes after those read ahead: now it is known whether it comes first in its
 * launch and in which step. NCCL's kernels bring their arguments. */
__attribute__((always_inline)) static inline int settle_op(struct opstream *stream, struct op *op,
														   struct launch *launch)
{
	const struct coll_args *args;
	op_settle(stream, op, launch);
	op_group(&stream->feeds[op->feed], op, &args);
	int error = args ? keep_coll(stream, op, args) : 0;
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

/* Of kept ops only the order of their launches has to be made. */
static int fill_kept(struct opstream *stream)
{
	const uint64_t ahead = stream->head + OPSTREAM_AHEAD;
	const struct kept_ops *kept = stream->kept;
	const uint64_t until = ahead < kept->n ? ahead : kept->n;
	const unsigned first = OP_MATCHED | OP_FIRST_OF_CALL;
	int error = 0;
	while (stream->minima_head < stream->minima_tail &&
		   stream->minima[stream->minima_head].position < stream->head)
		stream->minima_head++;
	if (stream->never_full || stream->tail - stream->head > OPSTREAM_AHEAD / 2) {
		stream->tail = stream->never_full ? kept->n : stream->tail;
		return 0;
	}
	while (!error && stream->tail < until) {
		const struct kept_op *op = &kept->at[stream->tail];
		if ((op->flags & first) == first)
			error = minima_add(stream, stream->tail, kept_ops_launch(kept, op));
		stream->tail += !error;
	}
	return error;
}

int opstream_fill(struct opstream *stream)
{
	int64_t start = 0;
	int error = stream->kept ? fill_kept(stream) : 0;
	while (!error && !stream->kept && stream->tail - stream->head < OPSTREAM_AHEAD) {
		if (stream->n_feeds == 1)
			error = take_run(stream);
		if (error || stream->tail - stream->head >= OPSTREAM_AHEAD || !next_start(stream, &start))
			break;
		error = take_instant(stream, start);
	}
	/* at the end: the last calls may be late launches, to be learned */
	for (uint32_t i = 0; !error && stream->head == stream->tail && i < stream->n_feeds; i++) {
		struct feed *feed = &stream->feeds[i];
		error = stream->kept ? feed->on_kept(feed->context, feed, INT64_MAX)
							 : feed_load_calls(feed, INT64_MAX);
	}
	return error;
}
