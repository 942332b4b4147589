#include "attribute/scan_pass.h"

#include "attribute/plain_ops.h"
#include "attribute/run_study.h"
#include "attribute/scan_run.h"
#include "base/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LATE_LIMIT_NS = 10000000, NOTED_ROOM = 256 };

enum pass { PASS_WHOLE, PASS_LOG, PASS_GAPS };

int scan_pass_open(struct scanning *s)
{
	s->pairs = malloc(2 * QUEUED_PAIRS * sizeof(*s->pairs));
	return s->pairs ? 0 : -ENOMEM;
}

void scan_pass_close(struct scanning *s)
{
	counts_free(&s->lags);
	gap_lengths_free(&s->queued);
	free(s->pairs);
	free(s->noted);
	own_kernels_close(&s->own);
	launch_log_free(&s->log);
}

static int note_collective(struct scanning *s, const struct op *op)
{
	const struct coll_args *coll;
	struct noted noted = {
		.op = {.member = collective_member(s->ds->feeds[op->feed].process, s->scan->device),
			   .dur_ns = op->end - op->start}};
	int error = device_collective(s->ds, op, &s->scan->steps, &coll, &noted.op.key, &noted.known);
	if (error || (!coll && !noted.known))
		return error;
	const struct feed *feed = &s->ds->feeds[op->feed];
	noted.op.end_ns = op->end;
	noted.op.rows = coll ? coll->rows : 1;
	noted.op.bytes = coll ? coll->bytes : -1;
	noted.op.size = coll && coll->comm ? feed->trace.comms[coll->comm].size : 0;
	if (!coll)
		noted.op.size = s->ds->ordered;
	error = room_for((void **)&s->noted, s->n_noted, &s->noted_room, NOTED_ROOM, sizeof(*s->noted));
	if (!error)
		s->noted[s->n_noted++] = noted;
	return error;
}

static int note_gap(struct scanning *s, const struct gap *gap)
{
	const struct op *k = gap->k;
	if (!gap_valid(gap))
		return 0;
	const bool first = k->flags & OP_FIRST_OF_CALL;
	if (first && k->ls >= gap->a)
		slices_add(&s->slices, gap->b - gap->a, gap->b - k->le, (uint64_t)k->feed << 32 | k->name);
	if (k->ls >= gap->a && k->ls < gap->b && first)
		return counts_one(&s->lags, k->start - k->ls);
	bool later = opstream_is_later_node(&s->ds->stream, k);
	if (!later && k->le > gap->a) /* not queued whatever the floor will be */
		return 0;
	if (later || gap->a - k->ls >= SURELY_QUEUED_NS)
		return gap_lengths_add(&s->queued, gap->b - gap->a);
	if (!s->pairs_fit || s->n_pairs == QUEUED_PAIRS) {
		s->pairs_fit = false;
		return 0;
	}
	s->pairs[2 * s->n_pairs] = gap->a - k->ls;
	s->pairs[2 * s->n_pairs++ + 1] = gap->b - gap->a;
	return 0;
}

static inline void note_op(struct scanning *s, const struct op *op)
{
	struct device_scan *scan = s->scan;
	if (scan->empty) {
		scan->hull_from = op->start;
		scan->empty = false;
	}
	if (!(op->flags & OP_MATCHED))
		return;
	s->launched = true;
	if (!(op->flags & OP_FIRST_OF_CALL))
		return;
	const int64_t lag_ns = op->start - op->ls;
	lag_floor_add(&s->lag_floor, lag_ns);
	if (lag_ns > 0 && lag_ns < s->smallest_lag)
		s->smallest_lag = lag_ns;
}

static inline void note_kernel(struct scanning *s, const struct op *op)
{
	const bool graph = op->kind == BATON_GRAPH;
	if ((op->kind != BATON_KERNEL && !graph) || !(op->flags & OP_MATCHED) ||
		op->feed != s->scan->process)
		return;
	own_kernels_add(&s->own, op->name, op->step);
	s->scan->graphs_after += graph && op->step == STEP_AFTER;
}

/* How far a pass has come. */
struct passing {
	enum pass pass;
	int (*visit)(struct scanning *, const struct gap *); /* sees every gap */
	int64_t end;                                         /* the latest end of an op so far */
};

__attribute__((always_inline)) static inline int pass_op(struct scanning *s, struct passing *at,
														 enum pass pass, const struct op *op)
{
	int error = 0;
	if (pass != PASS_GAPS)
		note_op(s, op);
	if (pass == PASS_WHOLE) {
		scan_note_end(s->scan, op->step, op->end);
		note_kernel(s, op);
	}
	if (pass == PASS_LOG)
		error = launch_log_add(&s->log, op);
	if (!error && at->visit && at->end != INT64_MIN && op->start > at->end)
		error = at->visit(s, &(struct gap){.a = at->end, .b = op->start, .k = op});
	if (!error && pass != PASS_GAPS && op->group == GROUP_NCCL)
		error = note_collective(s, op);
	at->end = op->end > at->end ? op->end : at->end;
	return error;
}

/* One pass over all ops. */
static int go_through(struct scanning *s, struct passing at)
{
	int error = device_feeds_rewind(s->ds);
	for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));)
		error = pass_op(s, &at, at.pass, op);
	s->scan->hull_to = at.end;
	return error ? error : s->ds->stream.error;
}

/* All of a pass over the columns, for which code of its own is made. */
__attribute__((always_inline)) static inline int go_columns(struct scanning *s, struct passing *at,
															enum pass pass, struct plain_ops *plain,
															bool keeps)
{
	const struct scan_run run = {s, plain, at->visit != NULL, pass == PASS_WHOLE};
	struct op op;
	int error = 0;
	while (!error) {
		if (keeps)
			error = scan_run_take(&run, &at->end);
		if (error || (keeps && s->kept->n == s->kept->room) || !plain_ops_next(plain, &op))
			break;
		error = pass_op(s, at, pass, &op);
		if (!error && keeps)
			error = kept_ops_add(s->kept, &op);
	}
	return error;
}

/* The same straight from the columns. *odd: that cannot be done, and what was gathered is void. */
static int go_plain(struct scanning *s, struct passing at, bool keeps, bool *odd)
{
	struct plain_ops plain;
	struct feed *feed = &s->ds->feeds[0];
	int error = device_feeds_rewind(s->ds);
	if (!error && keeps)
		error = feed_keep_calls(feed);
	if (!error && keeps && !feed->dense) { /* they have been read, but cannot be kept */
		keeps = s->log.elsewhere = false;
		error = device_feeds_rewind(s->ds);
	}
	plain_ops_open(&plain, &s->ds->stream);
	if (!error && keeps && at.pass == PASS_LOG)
		error = go_columns(s, &at, PASS_LOG, &plain, true);
	else if (!error)
		error = go_columns(s, &at, at.pass, &plain, keeps);
	s->scan->hull_to = at.end;
	*odd = plain.odd || (keeps && (s->kept->n == s->kept->room || kept_ops_reach_far(s->kept)));
	error = error ? error : plain.error;
	if (keeps) {
		s->kept->whole = !error && !*odd;
		s->kept->stepped = at.pass == PASS_WHOLE;
	}
	plain_ops_close(&plain);
	return error;
}

static void forget_pass(struct scanning *s)
{
	counts_free(&s->lags);
	gap_lengths_clear(&s->queued);
	s->slices.n = 0;
	s->smallest_lag = INT64_MAX;
	s->lag_floor = (struct lag_floor){0};
	s->n_noted = s->n_pairs = 0;
	s->pairs_fit = true;
	s->launched = false;
	s->scan->graphs_after = 0;
	s->scan->empty = true;
}

static int forget_ends(struct device_scan *scan)
{
	size_t n = (size_t)scan->steps.n_steps + 2;
	free(scan->ends);
	scan->ends = malloc(n * sizeof(*scan->ends));
	scan->any_before = false;
	for (size_t i = 0; scan->ends && i < n; i++)
		scan->ends[i] = INT64_MIN;
	return scan->ends ? 0 : -ENOMEM;
}

/* Ops of all processes, on whatever device. */
static size_t count_rows(const struct device_feeds *ds)
{
	size_t rows = 0;
	for (uint32_t i = 0; i < ds->n; i++) {
		const struct baton_reader *reader = &ds->feeds[i].trace.reader;
		for (size_t k = 0; k < reader->n_entries; k++)
			rows += reader->entries[k].kind == BATON_OP ? reader->entries[k].rows : 0;
	}
	return rows;
}

static bool updates_weights(void *feed, uint32_t name)
{
	const struct kernel_class *class = feed_kernel(feed, name);
	return class->class_name && strcmp(class->class_name, class_name(CLASS_OPTIMIZER)) == 0;
}

/* Forgets what an earlier pass gathered, and what this one keeps. */
static int begin_pass(struct scanning *s, enum pass pass, uint32_t feed,
					  struct period_memo *periods)
{
	forget_pass(s);
	if (pass == PASS_LOG) {
		launch_log_free(&s->log);
		s->log = (struct launch_log){.feed = feed,
									 .thread = s->only_thread,
									 .expected = count_rows(s->ds),
									 .sorted = true,
									 .whole = true};
		step_windows_open(&s->log.windows, periods, s->ds->feeds[feed].trace.strings.n,
						  STEP_WINDOW);
		s->log.windows.updates = (struct update_names){updates_weights, &s->ds->feeds[feed]};
		return 0;
	}
	int error = forget_ends(s->scan);
	own_kernels_close(&s->own);
	if (!error)
		error =
			own_kernels_open(&s->own, s->ds->feeds[feed].trace.strings.n, s->scan->steps.n_steps);
	return error;
}

/* The pass, of the process `feed`: from the columns, if that can be done. */
static int make_pass(struct scanning *s, enum pass pass, uint32_t feed, struct period_memo *periods)
{
	const struct run_study *study = s->context->options->study;
	const bool gaps = !study || !study->ops_alone;
	const struct passing at = {.pass = pass, .visit = gaps ? note_gap : NULL, .end = INT64_MIN};
	bool odd = s->odd || !plain_ops_fit(&s->ds->stream);
	int error = begin_pass(s, pass, feed, periods);
	const bool keeps =
		s->kept && kept_ops_begin(s->kept, count_rows(s->ds), s->ds->stream.n_slots) && !odd;
	if (!error && !odd) {
		s->log.elsewhere = keeps;
		error = go_plain(s, at, keeps, &odd);
		if (error || !odd)
			return error;
		error = begin_pass(s, pass, feed, periods);
	}
	s->log.elsewhere = false;
	s->odd = odd;
	return error ? error : go_through(s, at);
}

int scan_pass_whole(struct scanning *s)
{
	int error = make_pass(s, PASS_WHOLE, s->scan->process, NULL);
	return error ? error : own_kernels_judge(&s->own, &s->scan->fit);
}

int scan_pass_log(struct scanning *s, uint32_t feed, struct period_memo *periods)
{
	int error = make_pass(s, PASS_LOG, feed, periods);
	s->log.whole = s->log.whole && !error && !scan_pass_learned(s->ds);
	return error;
}

struct stepping { /* from op to op */
	const struct steps *steps;
	int64_t from, to; /* launches in there belong to step `known` */
	int32_t known;
	int32_t *of_stream; /* per stream: the step of its last op */
};

/* As opstream_fill.c finds the step of an op. `ls`: INT64_MAX without a launch record. */
static inline int32_t step_of(struct stepping *at, uint32_t slot, int64_t ls)
{
	if (ls != INT64_MAX && (ls < at->from || ls >= at->to))
		at->known = steps_around(at->steps, ls, &at->from, &at->to);
	if (ls != INT64_MAX)
		at->of_stream[slot] = at->known;
	return at->of_stream[slot];
}

int scan_pass_steps(struct scanning *s)
{
	const struct opstream *stream = &s->ds->stream;
	struct stepping at = {.steps = &s->scan->steps};
	at.of_stream = malloc((stream->n_slots + 1) * sizeof(*at.of_stream));
	int error = at.of_stream ? forget_ends(s->scan) : -ENOMEM;
	for (uint32_t i = 0; !error && i <= stream->n_slots; i++)
		at.of_stream[i] = at.steps->n_steps ? STEP_BEFORE : 0;
	for (size_t i = 0; !error && i < s->log.n_ops; i++) {
		const struct logged_op *op = &s->log.ops[i];
		scan_note_end(s->scan, step_of(&at, op->slot, op->ls), op->end);
	}
	for (size_t i = 0; !error && s->log.elsewhere && i < s->kept->n; i++) {
		struct kept_op *op = &s->kept->at[i];
		s->kept->stepped = true;
		op->step = step_of(&at, op->slot, kept_ops_launch(s->kept, op));
		scan_note_end(s->scan, op->step, op->end);
	}
	free(at.of_stream);
	return error;
}

int scan_pass_count(struct scanning *s, uint32_t feed, uint64_t **launches)
{
	const uint32_t n = s->ds->feeds[feed].trace.n_threads;
	*launches = calloc(n, sizeof(**launches));
	int error = *launches ? 0 : -ENOMEM;
	if (error)
		return error;
	do {
		memset(*launches, 0, n * sizeof(**launches));
		error = device_feeds_rewind(s->ds);
		for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));)
			if (op->feed == feed && op->flags & OP_MATCHED && op->thread < n &&
				(op->kind == BATON_KERNEL || op->kind == BATON_GRAPH))
				(*launches)[op->thread]++;
		error = error ? error : s->ds->stream.error;
	} while (!error && scan_pass_learned(s->ds));
	return error;
}

int scan_pass_gaps(struct scanning *s, int (*visit)(struct scanning *, const struct gap *))
{
	return go_through(s, (struct passing){.pass = PASS_GAPS, .visit = visit, .end = INT64_MIN});
}

bool scan_pass_learned(struct device_feeds *ds)
{
	bool learned = false;
	for (uint32_t i = 0; i < ds->n; i++) {
		struct feed *feed = &ds->feeds[i];
		int64_t late = feed->late_seen_ns;
		if (late > LATE_LIMIT_NS && feed->calls.read > FEED_LAUNCHES / 2)
			late = LATE_LIMIT_NS; /* one stray call must not push the others out of the ring */
		if (late > feed->late_ns) {
			feed->late_ns = late;
			learned = true;
		}
	}
	return learned;
}
