/* The first visit: joins, calibration, the ends of the steps, the collectives. */
#include "attribute/device_open.h"
#include "steps/period.h"
#include "steps/optimizer.h"
#include "steps/warmup.h"

enum { QUEUED_PAIRS = 1 << 16, LATE_LIMIT_NS = 10000000 };

struct noted { /* an NCCL op with arguments */
	struct coll_op op;
	bool known; /* its key is complete */
};

struct scanning {
	const struct device_context *context;
	struct device_scan *scan;
	struct device_sources *ds;
	struct counts lags;   /* start - Ls of launches that began inside the gap they ended */
	struct counts queued; /* gaps whose k was queued */
	int64_t smallest_lag; /* positive; INT64_MAX: none */
	int64_t *
		pairs; /* (lag of the launch before a, gap length) while they fit: spares the second pass */
	size_t n_pairs;
	bool pairs_fit;
	bool launched;       /* some op has its launch record */
	struct noted *noted; /* committed when the pass turns out to be the last */
	size_t n_noted, noted_room;
};

static int note_collective(struct scanning *s, const struct op *op)
{
	const struct coll_args *coll;
	struct noted noted = {
		.op = {.member = collective_member(s->ds->sources[op->source].process, s->scan->device),
			   .dur_ns = op->end - op->start}};
	int error = device_collective(s->ds, op, &s->scan->steps, &coll, &noted.op.key, &noted.known);
	if (error || !coll)
		return error;
	noted.op.rows = coll->rows;
	if (s->n_noted == s->noted_room) {
		size_t room = s->noted_room ? 2 * s->noted_room : 256;
		struct noted *larger = realloc(s->noted, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		s->noted = larger;
		s->noted_room = room;
	}
	s->noted[s->n_noted++] = noted;
	return 0;
}

static int by_member_and_key(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->op.member != y->op.member)
		return x->op.member < y->op.member ? -1 : 1;
	return memcmp(&x->op.key, &y->op.key, sizeof(x->op.key));
}

static int commit_collectives(struct scanning *s)
{
	struct collectives *all = s->context->collectives;
	int error = 0;
	if (s->n_noted)
		qsort(s->noted, s->n_noted, sizeof(*s->noted), by_member_and_key);
	for (size_t i = 0; !error && i < s->n_noted; i++) {
		const struct noted *n = &s->noted[i];
		bool again = i > 0 && by_member_and_key(n - 1, n) == 0;
		error = collectives_add_member(all, n->op.key.comm, n->op.member);
		if (!error && n->known)
			error = collectives_add(all, &n->op, again);
	}
	return error;
}

static int note_gap(struct scanning *s, const struct gap *gap)
{
	const struct op *k = gap->k;
	if (!gap_valid(gap))
		return 0;
	if (k->ls >= gap->a && k->ls < gap->b && k->flags & OP_FIRST_OF_CALL)
		return counts_add(&s->lags, k->start - k->ls, 1);
	bool later = opstream_is_later_node(&s->ds->stream, k);
	if (!later && k->le > gap->a) /* not queued whatever the floor will be */
		return 0;
	if (!s->pairs_fit || s->n_pairs == QUEUED_PAIRS) {
		s->pairs_fit = false;
		return 0;
	}
	/* a later node is queued whatever its launch: store the largest lag */
	s->pairs[2 * s->n_pairs] = later ? INT64_MAX : gap->a - k->ls;
	s->pairs[2 * s->n_pairs++ + 1] = gap->b - gap->a;
	return 0;
}

static void note_op(struct scanning *s, const struct op *op)
{
	struct device_scan *scan = s->scan;
	if (scan->empty) {
		scan->hull_from = op->start;
		scan->hull_to = op->end;
		scan->empty = false;
	}
	s->launched = s->launched || op->flags & OP_MATCHED;
	if (op->flags & OP_MATCHED && op->flags & OP_FIRST_OF_CALL && op->start > op->ls &&
		op->start - op->ls < s->smallest_lag)
		s->smallest_lag = op->start - op->ls;
	if (op->step < STEP_BEFORE)
		return;
	scan->any_before |= op->step == STEP_BEFORE;
	int64_t *end = &scan->ends[op->step + 1];
	*end = op->end > *end ? op->end : *end;
}

/* One pass over all ops; `visit` sees every gap. */
static int scan_pass(struct scanning *s, bool first,
					 int (*visit)(struct scanning *, const struct gap *))
{
	struct device_scan *scan = s->scan;
	int error = device_sources_rewind(s->ds);
	int64_t end = INT64_MIN;
	for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));) {
		if (first)
			note_op(s, op);
		if (end != INT64_MIN && op->start > end)
			error = visit(s, &(struct gap){.a = end, .b = op->start, .k = op});
		if (!error && first && op->group == GROUP_NCCL)
			error = note_collective(s, op);
		end = op->end > end ? op->end : end;
	}
	scan->hull_to = end;
	return error ? error : s->ds->stream.error;
}

static int visit_queued(struct scanning *s, const struct gap *gap)
{
	if (gap_valid(gap) && gap_queued(&s->ds->stream, gap, s->scan->calibration.floor_ns))
		return counts_add(&s->queued, gap->b - gap->a, 1);
	return 0;
}

static int calibrate_queue(struct scanning *s)
{
	struct calibration *c = &s->scan->calibration;
	int error = 0;
	for (size_t i = 0; s->pairs_fit && !error && i < s->n_pairs; i++)
		if (s->pairs[2 * i] >= c->floor_ns)
			error = counts_add(&s->queued, s->pairs[2 * i + 1], 1);
	if (!s->pairs_fit)
		error = scan_pass(s, false, visit_queued);
	c->queued_gap_ns = counts_percentile(&s->queued, 50);
	int64_t cap = c->queued_gap_ns > DISPATCH_LIMIT_NS ? DISPATCH_LIMIT_NS : 3 * c->queued_gap_ns;
	cap = cap > c->floor_ns ? cap : c->floor_ns;
	c->dispatch_cap_ns = cap < DISPATCH_LIMIT_NS ? cap : DISPATCH_LIMIT_NS;
	return error;
}

static void calibrate_floor(struct scanning *s)
{
	int64_t few = s->smallest_lag < FLOOR_LIMIT_NS ? s->smallest_lag : FLOOR_LIMIT_NS;
	bool enough = counts_total(&s->lags) >= FLOOR_SAMPLES;
	s->scan->calibration.floor_ns = enough ? counts_percentile(&s->lags, 5) : few;
}

static void forget_pass(struct scanning *s)
{
	struct device_scan *scan = s->scan;
	counts_free(&s->lags);
	s->smallest_lag = INT64_MAX;
	s->n_noted = s->n_pairs = 0;
	s->pairs_fit = true;
	s->launched = false;
	scan->empty = true;
	scan->any_before = false;
	for (int32_t i = 0; i <= (scan->steps.n_steps ? scan->steps.n_steps : 1); i++)
		scan->ends[i] = INT64_MIN;
}

/* Launches that begin after their op are found by reading further ahead; how far is known only
 * after a pass. */
static bool learned_late_launches(struct device_sources *ds)
{
	bool learned = false;
	for (uint32_t i = 0; i < ds->n; i++) {
		struct source *source = &ds->sources[i];
		int64_t late = source->late_seen_ns;
		if (late > LATE_LIMIT_NS && source->calls.read > SOURCE_LAUNCHES / 2)
			late = LATE_LIMIT_NS; /* one stray call must not push the others out of the ring */
		if (late > source->late_ns) {
			source->late_ns = late;
			learned = true;
		}
	}
	return learned;
}

/* Without launch records the markers have no op: their windows would be empty. */
static bool gave_up_steps(struct scanning *s)
{
	if (s->launched || s->scan->steps.n_steps == 0)
		return false;
	steps_free(&s->scan->steps);
	s->scan->by_optimizer = false;
	return true;
}

static int scan_ops(struct scanning *s)
{
	int error = 0;
	do {
		forget_pass(s);
		error = scan_pass(s, true, note_gap);
	} while (!error && (learned_late_launches(s->ds) || gave_up_steps(s)));
	return error ? error : commit_collectives(s);
}

/* Windows tile [window_from, window_to); E(s) only grows. */
static void settle_windows(struct device_scan *scan)
{
	scan->lead_in_from = INT64_MAX;
	if (scan->steps.n_steps == 0) {
		scan->window_from = scan->hull_from;
		scan->window_to = scan->hull_to;
		return;
	}
	int64_t from = scan->ends[0];
	if (!scan->any_before) {
		const struct marker *first = scan->steps.markers;
		while (first->step != 0)
			first++;
		from = first->begin_ns < scan->hull_from ? first->begin_ns : scan->hull_from;
		if (from < scan->hull_from)
			scan->lead_in_from = from;
	}
	scan->window_from = scan->ends[0] = from;
	for (int32_t i = 1; i <= scan->steps.n_steps; i++)
		if (scan->ends[i] < scan->ends[i - 1])
			scan->ends[i] = scan->ends[i - 1];
	scan->window_to = scan->ends[scan->steps.n_steps];
	if (scan->window_to == from)
		scan->lead_in_from = INT64_MAX; /* nothing was launched in any step */
}

static int keep_first_launches(struct device_scan *scan, const struct device_sources *ds)
{
	scan->late_ns = calloc(ds->n, sizeof(*scan->late_ns));
	scan->first_launch = calloc(ds->n, sizeof(*scan->first_launch));
	if (!scan->late_ns || !scan->first_launch)
		return -ENOMEM;
	for (uint32_t i = 0; i < ds->n; i++) {
		const struct source *source = &ds->sources[i];
		scan->late_ns[i] = source->late_ns;
		scan->first_launch[i] = malloc(source->trace.strings.n * sizeof(int64_t));
		if (!scan->first_launch[i])
			return -ENOMEM;
		for (uint32_t n = 0; n < source->trace.strings.n; n++)
			scan->first_launch[i][n] = source->names[n].first_launch_ns;
	}
	return 0;
}

static int by_launch(const void *a, const void *b)
{
	const struct launch_mark *x = a, *y = b;
	return x->launch_ns < y->launch_ns ? -1 : x->launch_ns > y->launch_ns;
}

/* The kernel launches of a process on the device, in order. Memory: 16 bytes a kernel, only when
 * asked for. */
static int collect_launches(struct scanning *s, uint32_t source, struct launch_mark **marks,
							size_t *n)
{
	size_t room = 0;
	int error = device_sources_rewind(s->ds);
	for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));) {
		if (op->kind != BATON_KERNEL || op->source != source || !(op->flags & OP_MATCHED))
			continue;
		if (*n == room) {
			room = room ? 2 * room : 4096;
			struct launch_mark *larger = realloc(*marks, room * sizeof(*larger));
			if (!larger)
				return -ENOMEM;
			*marks = larger;
		}
		(*marks)[(*n)++] = (struct launch_mark){op->ls, op->name};
	}
	if (*n)
		qsort(*marks, *n, sizeof(**marks), by_launch);
	return error ? error : s->ds->stream.error;
}

static int find_period(struct scanning *s, uint32_t source)
{
	struct launch_mark *marks = NULL;
	int64_t *begins = NULL;
	size_t n_marks = 0, n = 0;
	int error = collect_launches(s, source, &marks, &n_marks);
	if (!error && n_marks)
		error = period_find(marks, n_marks, &begins, &n);
	if (!error && n)
		error = steps_from_begins(begins, n, marks[n_marks - 1].launch_ns + 1, &s->scan->steps);
	free(begins);
	free(marks);
	return error;
}

static int has_ops(struct source *source, bool *found)
{
	struct rows ops;
	int error = rows_open(&ops, &source->trace, BATON_OP);
	while (!error && !*found && rows_next(&ops))
		*found = source_is_ours(source, source_stream(source, &ops));
	if (!error)
		error = ops.error;
	rows_close(&ops);
	return error;
}

/* Another way to find steps when the one before found none. */
static uint64_t forget_steps(struct steps *steps)
{
	uint64_t cut = steps->cut;
	steps_free(steps);
	return cut;
}

/* The begin of the last launch of the process whose op was delivered; INT64_MIN: none. */
static int find_last_launch(struct scanning *s, uint32_t source, int64_t *last_ns)
{
	int error = 0;
	do {
		*last_ns = INT64_MIN;
		error = device_sources_rewind(s->ds);
		for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));)
			if (op->source == source && op->flags & OP_MATCHED && op->ls > *last_ns)
				*last_ns = op->ls;
		error = error ? error : s->ds->stream.error;
	} while (!error && learned_late_launches(s->ds));
	return error;
}

/* The end of a process that was killed has launches and marks but no ops. */
static int cut_undelivered(struct scanning *s, uint32_t source)
{
	const struct trace *trace = &s->ds->sources[source].trace;
	int64_t last_ns;
	if (s->scan->steps.n_steps == 0 || !trace_is_recorded(trace) ||
		trace->losses.by_kind[BATON_LOSS_IN_FLIGHT] == 0)
		return 0;
	int error = find_last_launch(s, source, &last_ns);
	if (!error)
		steps_cut_undelivered(&s->scan->steps, last_ns);
	return error;
}

/* Steps that the process marks itself. */
static int find_marked(struct scanning *s, uint32_t source)
{
	struct trace *trace = &s->ds->sources[source].trace;
	struct device_scan *scan = s->scan;
	int error = steps_find(trace, s->context->names, s->context->options->step_range, &scan->steps);
	error = error ? error : cut_undelivered(s, source);
	if (error || scan->steps.n_steps > 0)
		return error;
	uint64_t partial = forget_steps(&scan->steps);
	error = steps_from_optimizer(trace, &scan->steps);
	error = error ? error : cut_undelivered(s, source);
	scan->steps.cut += partial;
	scan->by_optimizer = scan->steps.n_steps > 0;
	return error;
}

/* The device's steps come from the first process that ran something on it and marks steps, when
 * none does from the first that ran something. */
static int find_steps_process(struct scanning *s, uint32_t *process)
{
	struct device_sources *ds = s->ds;
	bool any = false, marks = ds->n == 1;
	int error = 0;
	*process = 0;
	for (uint32_t i = 0; !error && !marks && i < ds->n; i++) {
		bool found = false;
		error = has_ops(&ds->sources[i], &found);
		if (error || !found)
			continue;
		*process = any ? *process : i;
		any = true;
		if (s->scan->by_period)
			break;
		error = find_marked(s, i);
		marks = s->scan->steps.n_steps > 0;
		*process = marks ? i : *process;
		forget_steps(&s->scan->steps);
	}
	return error;
}

static int find_steps(struct scanning *s, uint32_t first)
{
	struct trace *trace = &s->ds->sources[first].trace;
	struct device_scan *scan = s->scan;
	bool recorded = trace_is_recorded(trace);
	int error = scan->by_period ? 0 : find_marked(s, first);
	if (!error && scan->steps.n_steps == 0 && (scan->by_period || recorded)) {
		uint64_t partial = forget_steps(&scan->steps);
		error = find_period(s, first);
		error = error ? error : cut_undelivered(s, first);
		scan->steps.cut += partial;
		scan->by_period = true;
	}
	if (!error && recorded)
		error = warmup_cut(trace, s->context->names, scan->by_optimizer, &scan->steps);
	return error;
}

static int scan_open(struct scanning *s)
{
	struct device_scan *scan = s->scan;
	const char *steps = s->context->options->steps;
	uint32_t first;
	scan->by_period = steps && strcmp(steps, "period") == 0;
	int error = device_sources_open(s->context, scan, s->ds);
	if (!error)
		error = find_steps_process(s, &first);
	if (!error)
		error = find_steps(s, first);
	if (error)
		return error;
	scan->ends = malloc(((size_t)scan->steps.n_steps + 2) * sizeof(*scan->ends));
	s->pairs = malloc(2 * QUEUED_PAIRS * sizeof(*s->pairs));
	return scan->ends && s->pairs ? 0 : -ENOMEM;
}

int device_scan(const struct device_context *context, uint32_t device, struct device_scan *scan)
{
	struct device_sources ds = {0};
	struct scanning s = {.context = context, .scan = scan, .ds = &ds};
	memset(scan, 0, sizeof(*scan));
	scan->device = device;
	scan->empty = true;
	int error = scan_open(&s);
	if (!error)
		error = scan_ops(&s);
	calibrate_floor(&s);
	if (!error)
		error = calibrate_queue(&s);
	if (!error && !scan->empty)
		settle_windows(scan);
	if (!error)
		error = keep_first_launches(scan, &ds);
	counts_free(&s.lags);
	counts_free(&s.queued);
	free(s.pairs);
	free(s.noted);
	device_sources_close(&ds);
	return error;
}

void device_scan_free(const struct device_context *context, struct device_scan *scan)
{
	uint32_t n = context->run->devices[scan->device].n_processes;
	for (uint32_t i = 0; scan->first_launch && i < n; i++)
		free(scan->first_launch[i]);
	free(scan->first_launch);
	free(scan->late_ns);
	free(scan->ends);
	steps_free(&scan->steps);
	memset(scan, 0, sizeof(*scan));
}
