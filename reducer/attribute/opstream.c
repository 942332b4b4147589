#include "attribute/opstream.h"

#include "base/sort.h"

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
	sort_rows(keys, n, sizeof(*keys), by_stream);
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
	stream->kept_more = 0;
	stream->error = 0;
	stream->calls_until = INT64_MIN + 2 * OPSTREAM_CALLS_NS;
	for (uint32_t i = 0; i <= stream->n_slots; i++)
		stream->slot_step[i] = stream->steps->n_steps ? STEP_BEFORE : 0;
	for (uint32_t i = 0; !error && i < stream->n_feeds; i++)
		error = feed_rewind(&stream->feeds[i]);
	return error;
}

void opstream_keep(struct opstream *stream, struct kept_ops *kept)
{
	stream->kept = kept;
	stream->never_full = !kept->full;
	stream->feeds[0].joined = true;
}

void opstream_close(struct opstream *stream)
{
	free(stream->ring);
	free(stream->colls);
	free(stream->slot_step);
	free(stream->minima);
	memset(stream, 0, sizeof(*stream));
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

/* Had the launch of op `i`, which is read ahead, begun before `ls`? */
static bool began_before(const struct opstream *stream, uint64_t i, int64_t ls)
{
	const unsigned first = OP_MATCHED | OP_FIRST_OF_CALL;
	if (stream->kept) {
		const struct kept_op *op = &stream->kept->at[i];
		return (op->flags & first) == first && kept_ops_launch(stream->kept, op) < ls;
	}
	const struct op *op = opstream_at(stream, i);
	return (op->flags & first) == first && op->ls < ls;
}

bool opstream_queue_full(const struct opstream *stream, int64_t ls)
{
	if (stream->never_full)
		return false;
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
	for (uint64_t i = first; n < QUEUE_DEPTH_FULL && i <= stream->minima[low - 1].position; i++)
		n += began_before(stream, i, ls);
	return n >= QUEUE_DEPTH_FULL;
}
