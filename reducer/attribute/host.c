#include "attribute/host.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

struct host_mark {
	int64_t at;
	const struct host_rec *rec;
	uint16_t mask;
	int8_t change; /* +1 begins, -1 ends, 0 only a boundary */
};

static const enum leaf leaf_of_bit[HOST_BITS_DECIDING] = {
	[HOST_BIT_NO_CORE] = LEAF_HOST_NO_CORE,         [HOST_BIT_ALLOC] = LEAF_HOST_ALLOC,
	[HOST_BIT_MODULE_LOAD] = LEAF_HOST_MODULE_LOAD, [HOST_BIT_INPUT] = LEAF_HOST_INPUT,
	[HOST_BIT_NCCL_HOST] = LEAF_HOST_NCCL_HOST,     [HOST_BIT_SYNC] = LEAF_HOST_SYNC,
	[HOST_BIT_PROFILER] = LEAF_TOOL_PROFILER,       [HOST_BIT_QUEUE_FULL] = LEAF_GPU_QUEUE_FULL,
	[HOST_BIT_BLOCKED] = LEAF_HOST_BLOCKED,         [HOST_BIT_CALL] = LEAF_CPU_API,
};

int pieces_add(struct pieces *pieces, const struct piece *piece)
{
	if (piece->from >= piece->to)
		return 0;
	if (room_for((void **)&pieces->at, pieces->n, &pieces->room, 64, sizeof(*pieces->at)) != 0)
		return -ENOMEM;
	pieces->at[pieces->n++] = *piece;
	return 0;
}

void host_scratch_free(struct host_scratch *scratch)
{
	free(scratch->marks);
	free(scratch->stack);
	memset(scratch, 0, sizeof(*scratch));
}

static int add_mark(struct host_scratch *s, int64_t at, const struct host_rec *rec, uint16_t mask,
					int8_t change)
{
	if (room_for((void **)&s->marks, s->n_marks, &s->marks_room, 64, sizeof(*s->marks)) != 0)
		return -ENOMEM;
	s->marks[s->n_marks++] = (struct host_mark){at, rec, mask, change};
	return 0;
}

/* From the begin of the first part to the end of the last. */
static int64_t span_from(const struct host_span *span)
{
	return span->parts[0].from;
}

static int64_t span_to(const struct host_span *span)
{
	return span->parts[span->n_parts - 1].to;
}

/* Begin and end of a row inside the span; a GPU-driving call that only begins or is empty there is
 * a boundary too. */
static int mark_row(const struct host_span *span, struct host_scratch *s,
					const struct host_rec *rec)
{
	uint16_t mask = rec->mask;
	int64_t from = rec->start > span_from(span) ? rec->start : span_from(span);
	int64_t to = rec->end < span_to(span) ? rec->end : span_to(span);
	if (rec->is_launch && opstream_queue_full(span->stream, rec->start))
		mask |= HOST_MASK(HOST_BIT_QUEUE_FULL);
	if (from >= to)
		return rec->mask & HOST_MASK(HOST_BIT_DRIVING) && rec->start > span_from(span) &&
					   rec->start < span->launch
				   ? add_mark(s, rec->start, rec, 0, 0)
				   : 0;
	int error = add_mark(s, from, rec, mask, 1);
	return error ? error : add_mark(s, to, rec, mask, -1);
}

/* What schedstat says of thread 0 holds for nobody else. */
static int mark_timeline(const struct host_span *span, struct host_scratch *s,
						 const struct timeline *timeline)
{
	uint16_t alien = HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE);
	int error = 0;
	for (size_t i = 0; !error && i < timeline->n_open; i++)
		if (timeline == span->owner || !(timeline->open[i].mask & alien))
			error = mark_row(span, s, &timeline->open[i]);
	return error;
}

static int by_time(const void *a, const void *b)
{
	const struct host_mark *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->change != y->change)
		return x->change < y->change ? -1 : 1;
	if (x->rec->end != y->rec->end) /* begun together: the outer one first */
		return x->rec->end > y->rec->end ? -1 : 1;
	return x->rec < y->rec ? -1 : x->rec > y->rec;
}

static int collect_marks(const struct host_span *span, struct host_scratch *s)
{
	s->n_marks = s->n_stack = 0;
	int error = mark_timeline(span, s, span->owner);
	if (!error && span->common != span->owner)
		error = mark_timeline(span, s, span->common);
	if (!error && s->n_marks > 1)
		sort_rows(s->marks, s->n_marks, sizeof(*s->marks), by_time);
	return error;
}

/* How far the walk along the marks has come. */
struct walk {
	uint32_t depth[HOST_BITS_DECIDING];
	const struct host_mark *last[HOST_BITS_DECIDING]; /* the row begun last in each class */
	int64_t driving_end;           /* latest end of the owner's GPU-driving calls begun so far */
	size_t next_driving;           /* first mark that may begin a later one */
	int64_t told;                  /* the last begin or end of a row of the owner */
	size_t next_told;              /* first mark that may be the next */
	uint32_t sampled;              /* sched rows that hold */
	uint32_t naps;                 /* those of them in which the owner may wait for a thread */
	const struct host_rec *silent; /* the sched row that says where in the code the owner is */
	size_t part;                   /* the first that is not explained to its end */
	const struct host_rec *cover;  /* see cover_of() */
};

static int stack_push(struct host_scratch *s, const struct host_rec *rec)
{
	if (room_for((void **)&s->stack, s->n_stack, &s->stack_room, 64, sizeof(*s->stack)) != 0)
		return -ENOMEM;
	s->stack[s->n_stack++] = rec;
	return 0;
}

/* A row of the owner that tells something really begins or ends here. */
static bool mark_tells(const struct host_span *span, const struct host_mark *mark)
{
	const struct host_rec *rec = mark->rec, *open = span->owner->open;
	bool own = span->owner->n_open && rec >= open && rec < open + span->owner->n_open;
	return own && host_rec_tells(rec) && mark->at == (mark->change > 0 ? rec->start : rec->end);
}

static int walk_mark(struct walk *walk, const struct host_span *span, struct host_scratch *s,
					 const struct host_mark *mark)
{
	const struct host_rec *rec = mark->rec;
	if (mark_tells(span, mark))
		walk->told = mark->at;
	if (rec->mask & (HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE)))
		walk->sampled += (uint32_t)(int32_t)mark->change;
	if (rec->nap)
		walk->naps += (uint32_t)(int32_t)mark->change;
	for (int bit = 0; mark->change && bit < HOST_BITS_DECIDING; bit++) {
		if (!(mark->mask & HOST_MASK(bit)))
			continue;
		walk->depth[bit] += (uint32_t)(int32_t)mark->change;
		if (mark->change > 0)
			walk->last[bit] = mark;
	}
	if (mark->change >= 0 && rec->mask & HOST_MASK(HOST_BIT_DRIVING) &&
		rec->end > walk->driving_end)
		walk->driving_end = rec->end;
	if (mark->change > 0 && rec->owner &&
		rec->mask & (HOST_MASK(HOST_BIT_BLOCKED) | HOST_MASK(HOST_BIT_AWAKE)))
		walk->silent = rec;
	else if (mark->change < 0 && walk->silent == rec)
		walk->silent = NULL;
	return rec->category && mark->change > 0 ? stack_push(s, rec) : 0;
}

/* The innermost range that lasts beyond `at`. */
static uint32_t innermost(struct host_scratch *s, int64_t at)
{
	while (s->n_stack && s->stack[s->n_stack - 1]->end <= at)
		s->n_stack--;
	return s->n_stack ? s->stack[s->n_stack - 1]->name : 0;
}

/* The outermost range of the owner, other than a step, that covers more than half of the gap and has
 * more than half of its own time in it; NULL: none. It says more of a long gap than the innermost
 * ones, which take turns. */
static const struct host_rec *cover_of(const struct host_span *span)
{
	const struct host_rec *cover = NULL;
	for (size_t i = 0; i < span->owner->n_open; i++) {
		const struct host_rec *rec = &span->owner->open[i];
		int64_t from = rec->start > span->gap.from ? rec->start : span->gap.from;
		int64_t to = rec->end < span->gap.to ? rec->end : span->gap.to;
		if (!rec->category || rec->mask & HOST_MASK(HOST_BIT_STEP) || !rec->name ||
			to - from <= (span->gap.to - span->gap.from) / 2 ||
			to - from <= (rec->end - rec->start) / 2)
			continue;
		if (!cover || rec->start < cover->start ||
			(rec->start == cover->start && rec->end > cover->end))
			cover = rec;
	}
	return cover;
}

/* The begin of the owner's first GPU-driving call after `at`, or the launch. */
static int64_t next_driving(struct walk *walk, const struct host_span *span,
							const struct host_scratch *s, int64_t at)
{
	for (; walk->next_driving < s->n_marks; walk->next_driving++) {
		const struct host_mark *mark = &s->marks[walk->next_driving];
		if (mark->at > at && mark->change >= 0 && mark->rec->mask & HOST_MASK(HOST_BIT_DRIVING) &&
			mark->rec->start == mark->at)
			return mark->at < span->launch ? mark->at : span->launch;
	}
	return span->launch;
}

/* No row at all tells of the owner in a long stretch around the instants from `at` on: the sampler
 * of silent threads would have, had it been there. */
static bool unsampled(struct walk *walk, const struct host_span *span, const struct host_scratch *s,
					  int64_t at)
{
	int64_t next = span->parts[walk->part].to;
	if (walk->sampled)
		return false;
	for (; walk->next_told < s->n_marks; walk->next_told++) {
		const struct host_mark *mark = &s->marks[walk->next_told];
		if (mark->at <= at || !mark_tells(span, mark))
			continue;
		next = mark->at < next ? mark->at : next;
		break;
	}
	return walk->told == INT64_MIN || (__int128)next - walk->told >= UNSAMPLED_NS;
}

/* What ran while the thread had no core, if it is what the device would be told to wait for
 * otherwise: with a core, or without that call, the same time is won. */
static uint32_t name_without_core(const struct walk *walk)
{
	for (int bit = HOST_BIT_ALLOC; bit <= HOST_BIT_MODULE_LOAD; bit++)
		if (walk->depth[bit] && walk->last[bit]->rec->name)
			return walk->last[bit]->rec->name;
	return 0;
}

static int explain_piece(struct walk *walk, const struct host_span *span, struct host_scratch *s,
						 struct host_part at, struct pieces *out)
{
	struct piece piece = {.from = at.from, .to = at.to, .feed = span->feed};
	piece.owner = walk->silent ? walk->silent->owner : 0;
	for (int bit = 0; bit < HOST_BITS_DECIDING; bit++) {
		if (!walk->depth[bit])
			continue;
		const struct host_rec *rec = walk->last[bit]->rec;
		piece.leaf = leaf_of_bit[bit];
		piece.name = bit == HOST_BIT_NO_CORE ? name_without_core(walk) : rec->name;
		piece.owner = rec->owner ? rec->owner : piece.owner;
		piece.follows = bit == HOST_BIT_BLOCKED && walk->naps;
		return pieces_add(out, &piece);
	}
	int64_t end = next_driving(walk, span, s, at.from);
	bool stretch =
		walk->driving_end == INT64_MIN || (__int128)end - walk->driving_end >= HOST_CODE_STRETCH_NS;
	piece.leaf = stretch ? LEAF_HOST_CODE : LEAF_CPU_FRAMEWORK;
	piece.name = innermost(s, at.from);
	if (walk->cover && walk->cover->start <= at.from && at.from < walk->cover->end)
		piece.name = walk->cover->name;
	piece.unsampled = stretch && span->sampled && unsampled(walk, span, s, at.from);
	return pieces_add(out, &piece);
}

/* [from, to), in which nothing changes, as far as parts of the span are in it. */
static int explain_between(struct walk *walk, const struct host_span *span, struct host_scratch *s,
						   struct host_part between, struct pieces *out)
{
	int error = 0;
	for (; !error && walk->part < span->n_parts; walk->part++) {
		const struct host_part *part = &span->parts[walk->part];
		int64_t from = part->from > between.from ? part->from : between.from;
		int64_t to = part->to < between.to ? part->to : between.to;
		if (from < to)
			error = explain_piece(walk, span, s, (struct host_part){from, to}, out);
		if (part->to > between.to)
			break;
	}
	return error;
}

/* A row that was begun before the span. */
static void walk_before(struct walk *walk, int64_t from, const struct host_rec *rec)
{
	if (rec->start > from)
		return;
	if (rec->mask & HOST_MASK(HOST_BIT_DRIVING) && rec->end > walk->driving_end)
		walk->driving_end = rec->end;
	int64_t told = rec->end <= from ? rec->end : rec->start;
	if (host_rec_tells(rec) && told > walk->told)
		walk->told = told;
}

int host_explain(const struct host_span *span, struct host_scratch *scratch, struct pieces *out)
{
	int error = collect_marks(span, scratch);
	struct walk walk = {.driving_end = span->owner->last_driving_end,
						.told = span->owner->last_row_end,
						.cover = cover_of(span)};
	for (size_t i = 0; i < span->owner->n_open; i++)
		walk_before(&walk, span_from(span), &span->owner->open[i]);
	int64_t at = span_from(span);
	for (size_t i = 0; !error && i < scratch->n_marks;) {
		int64_t to = scratch->marks[i].at;
		if (to >= span_to(span))
			break;
		error = explain_between(&walk, span, scratch, (struct host_part){at, to}, out);
		at = to;
		while (!error && i < scratch->n_marks && scratch->marks[i].at == to)
			error = walk_mark(&walk, span, scratch, &scratch->marks[i++]);
	}
	return error
			   ? error
			   : explain_between(&walk, span, scratch, (struct host_part){at, span_to(span)}, out);
}
