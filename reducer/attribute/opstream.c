#include "attribute/opstream.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

struct stream_key { /* a stream of one process: several records may describe it */
	int64_t context, stream;
	uint32_t index;
};

static int by_stream(const void *a, const void *b)
{
	const struct stream_key *x = a, *y = b;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static int number_streams_of(struct opstream *stream, struct feed *s)
{
	struct stream_key *keys = malloc(s->trace.n_streams * sizeof(*keys));
	uint32_t n = 0;
	if (!keys)
		return -ENOMEM;
	for (uint32_t k = 1; k < s->trace.n_streams; k++) {
		const struct trace_stream *t = &s->trace.streams[k];
		if (s->device && t->device == s->device)
			keys[n++] = (struct stream_key){t->context, t->stream, k};
	}
	qsort(keys, n, sizeof(*keys), by_stream);
	for (uint32_t i = 0; i < n; i++) {
		bool same =
			i > 0 && keys[i].context == keys[i - 1].context && keys[i].stream == keys[i - 1].stream;
		s->slots[keys[i].index] = same ? stream->n_slots : ++stream->n_slots;
	}
	free(keys);
	return 0;
}

static int number_streams(struct opstream *stream)
{
	for (uint32_t i = 0; i < stream->n_feeds; i++) {
		int error = number_streams_of(stream, &stream->feeds[i]);
		if (error)
			return error;
	}
	stream->slot_step = calloc(stream->n_slots + 1, sizeof(*stream->slot_step));
	return stream->slot_step ? 0 : -ENOMEM;
}

int opstream_open(struct opstream *stream, struct feed *feeds, uint32_t n,
				  const struct steps *steps)
{
	memset(stream, 0, sizeof(*stream));
	stream->feeds = feeds;
	stream->n_feeds = n;
	stream->steps = steps;
	stream->room = 2 * OPSTREAM_AHEAD;
	stream->ring = malloc(stream->room * sizeof(*stream->ring));
	int error = stream->ring ? number_streams(stream) : -ENOMEM;
	if (error)
		opstream_close(stream);
	return error;
}

int opstream_rewind(struct opstream *stream)
{
	int error = 0;
	stream->head = stream->tail = stream->n_group = 0;
	stream->colls_head = stream->colls_tail = 0;
	stream->coll_out = false;
	stream->step_from = stream->step_to = 0;
	stream->minima_head = stream->minima_tail = 0;
	stream->error = 0;
	for (uint32_t i = 0; i <= stream->n_slots; i++)
		stream->slot_step[i] = stream->steps->n_steps ? STEP_BEFORE : 0;
	for (uint32_t i = 0; !error && i < stream->n_feeds; i++)
		error = feed_rewind(&stream->feeds[i]);
	return error;
}

void opstream_close(struct opstream *stream)
{
	free(stream->ring);
	free(stream->colls);
	free(stream->slot_step);
	free(stream->minima);
	memset(stream, 0, sizeof(*stream));
}

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

static inline struct op *ring_at(const struct opstream *stream, uint64_t i)
{
	return &stream->ring[i & (stream->room - 1)];
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
	if (!launch) {
		launch = corr_ring_put(&feed->launches, op->correlation);
		launch->start = FEED_NO_CALL;
	}
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
	return ring_at(stream, at);
}

/* Takes the current op row of a feed into the group of those that start together. */
static int take_op(struct opstream *stream, uint32_t index)
{
	struct feed *feed = &stream->feeds[index];
	const struct rows *row = &feed->ops;
	uint32_t stream_index = feed_stream(feed, row);
	bool ours = feed_is_ours(feed, stream_index);
	struct op *op = group_place(stream);
	if (!op)
		return -ENOMEM;
	op->start = rows_value(row, OP_START);
	op->end = op->start + rows_value(row, OP_DUR);
	op->correlation = (uint64_t)rows_value(row, OP_CORRELATION);
	op->kind = (uint8_t)rows_value(row, OP_KIND);
	op->name = feed_string(feed, row, OP_NAME);
	op->feed = index;
	op->flags =
		op->kind == BATON_MEMCPY && rows_optional(row, OP_PAGEABLE, 0) == 1 ? OP_IS_PAGEABLE : 0;
	const struct launch *launch = join_launch(feed, op, ours);
	if (ours) {
		op->bytes = rows_optional(row, OP_BYTES, -1);
		op->copy_dir = (uint8_t)rows_optional(row, OP_COPY_DIR, 0);
		op->stream = feed->trace.streams[stream_index].stream;
		op->slot = feed->slots[stream_index];
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
static int settle_op(struct opstream *stream, struct op *op, struct launch *launch)
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
		group[i] = *ring_at(stream, stream->tail + i);
	qsort_r(group, n, sizeof(*group), op_order, stream);
	for (size_t i = 0; i < n; i++)
		*ring_at(stream, stream->tail + i) = group[i];
	free(group);
	return 0;
}

static int flush_group(struct opstream *stream)
{
	size_t n = stream->n_group;
	int error = n > 1 ? sort_group(stream) : 0;
	for (size_t i = 0; !error && i < n; i++) {
		struct op *op = ring_at(stream, stream->tail);
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

static int fill(struct opstream *stream)
{
	int64_t start = 0;
	while (stream->tail - stream->head < OPSTREAM_AHEAD && next_start(stream, &start)) {
		int error = 0;
		for (uint32_t i = 0; !error && i < stream->n_feeds; i++) {
			struct feed *s = &stream->feeds[i];
			error = feed_load_calls(s, start + s->late_ns);
			while (!error && s->ops_left && rows_value(&s->ops, OP_START) == start)
				error = take_op(stream, i);
		}
		if (!error)
			error = flush_group(stream);
		if (error)
			return error;
	}
	/* at the end: the last calls may be late launches, to be learned */
	int error = 0;
	for (uint32_t i = 0; !error && stream->head == stream->tail && i < stream->n_feeds; i++)
		error = feed_load_calls(&stream->feeds[i], INT64_MAX);
	return error;
}

/* The row that describes a collective may begin later than the op did. */
static void learn_collective(const struct opstream *stream, struct op *op)
{
	const struct feed *feed = &stream->feeds[op->feed];
	if (op->kind != BATON_KERNEL || op->flags & OP_HAS_COLL || !op->correlation ||
		!feed->colls.added || !feed_collective(feed, op->correlation))
		return;
	op->flags |= OP_LATE_COLL;
	op->group = GROUP_NCCL;
}

const struct op *opstream_next(struct opstream *stream)
{
	stream->colls_head += stream->coll_out;
	stream->coll_out = false;
	if (stream->error == 0 && stream->tail - stream->head <= OPSTREAM_AHEAD / 2)
		stream->error = fill(stream);
	if (stream->error || stream->head == stream->tail)
		return NULL;
	while (stream->minima_head < stream->minima_tail &&
		   stream->minima[stream->minima_head].position < stream->head)
		stream->minima_head++;
	struct op *op = ring_at(stream, stream->head++);
	stream->coll_out = (op->flags & OP_HAS_COLL) != 0;
	learn_collective(stream, op);
	return op;
}

bool opstream_is_node(const struct opstream *stream, const struct op *op)
{
	if (op->kind == BATON_GRAPH || !op->correlation)
		return false;
	if (op->flags & OP_GRAPH_CALL)
		return true;
	const struct launch *launch = feed_launch(&stream->feeds[op->feed], op->correlation);
	return launch && op->kind == BATON_KERNEL && launch->n_kernels > 1;
}

bool opstream_queue_full(const struct opstream *stream, int64_t ls)
{
	size_t low = stream->minima_head,
		   high = stream->minima_tail; /* minima[low - 1].ls < ls <= minima[high].ls */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (stream->minima[middle].ls < ls)
			low = middle + 1;
		else
			high = middle;
	}
	uint64_t first = stream->head - 1;
	if (low == stream->minima_head ||
		stream->minima[low - 1].position < first + QUEUE_DEPTH_FULL - 1)
		return false;
	uint64_t n = 0;
	for (uint64_t i = first; n < QUEUE_DEPTH_FULL && i <= stream->minima[low - 1].position; i++) {
		const struct op *op = ring_at(stream, i);
		n += (op->flags & OP_MATCHED) && (op->flags & OP_FIRST_OF_CALL) && op->ls < ls;
	}
	return n >= QUEUE_DEPTH_FULL;
}
