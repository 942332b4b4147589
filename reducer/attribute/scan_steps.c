#include "attribute/scan_steps.h"

#include "attribute/generations.h"
#include "steps/optimizer.h"
#include "steps/period.h"
#include "steps/warmup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of kept ops, for the log may have forgotten the marks of steps that are settled. */
static void judge_kept(struct scanning *s)
{
	const struct kept_ops *kept = s->kept;
	const struct steps *steps = &s->scan->steps;
	int64_t from = 0, to = 0;
	int32_t step = 0;
	for (size_t i = 0; i < kept->n; i++) {
		const struct kept_op *op = &kept->at[i];
		const bool launch = op->kind == BATON_KERNEL || op->kind == BATON_GRAPH;
		if (!launch || !(op->flags & OP_MATCHED))
			continue;
		const struct kept_call *call = &kept->calls.at[op->call];
		if (s->log.thread && call->thread != s->log.thread)
			continue;
		if (call->start < from || call->start >= to)
			step = steps_around(steps, call->start, &from, &to);
		own_kernels_add(&s->own, op->name, step);
	}
}

/* Of the steps that were found in the log, while it has its marks. */
static int judge_log(struct scanning *s, uint32_t feed)
{
	const struct launch_log *log = &s->log;
	const struct steps *steps = &s->scan->steps;
	int64_t from = 0, to = 0;
	int32_t step = 0;
	own_kernels_close(&s->own);
	int error = own_kernels_open(&s->own, s->ds->feeds[feed].trace.strings.n, steps->n_steps);
	if (!error && log->elsewhere) {
		judge_kept(s);
		return own_kernels_judge(&s->own, &s->scan->fit);
	}
	for (size_t i = 0; !error && i < log->n_marks; i++) {
		const struct launch_mark *mark = &log->marks[i];
		if (mark->launch_ns < from || mark->launch_ns >= to)
			step = steps_around(steps, mark->launch_ns, &from, &to);
		own_kernels_add(&s->own, mark->symbol, step);
	}
	for (size_t i = 0; !error && i < log->graphs.n; i++) {
		const struct graph_launch *graph = &log->graphs.at[i];
		own_kernels_add(&s->own, graph->name, steps_around(steps, graph->launch_ns, &from, &to));
	}
	return error ? error : own_kernels_judge(&s->own, &s->scan->fit);
}

/* What a step is that the order of its kernels alone tells: a step of training where some of them
 * are an optimizer's. */
void scan_steps_say_unit(struct scanning *s)
{
	struct device_scan *scan = s->scan;
	struct feed *feed = &s->ds->feeds[scan->process];
	uint32_t updates = 0;
	bool classes = false; /* the seed taxonomy has groups alone */
	if (!scan->by_period || scan->steps.n_steps < 2 || scan->steps.unit[0])
		return;
	for (uint32_t name = 0; name < s->own.n_names; name++) {
		const uint32_t usual = own_kernels_usual(&s->own, name);
		const char *class = usual ? feed_kernel(feed, name)->class_name : "";
		classes |= strchr(class, '.') != NULL;
		if (strcmp(class, class_name(CLASS_OPTIMIZER)) == 0)
			updates += usual;
	}
	if (updates)
		snprintf(scan->steps.unit, STEPS_UNIT_BYTES,
				 "A step updates the weights: it launches %" PRIu32 " kernel%s of an optimizer",
				 updates, updates == 1 ? "" : "s");
	else if (classes)
		snprintf(
			scan->steps.unit, STEPS_UNIT_BYTES,
			"What a step is, is not sure: no kernel in it is known as an optimizer's. It may be a "
			"step of training, a token or a micro-batch");
}

static void say_graph(struct scanning *s, uint32_t feed, uint32_t name)
{
	const struct text text = strings_get(&s->ds->feeds[feed].trace.strings, name);
	snprintf(s->scan->steps.unit, STEPS_UNIT_BYTES, "A step is a launch of %s%.80s",
			 text.bytes ? "" : "a CUDA graph", text.at);
}

/* One pass finds the rhythm and gathers all the rest; a second one where the steps of a bounded
 * part of the launches do not go on. */
int scan_steps_seek(struct scanning *s, uint32_t feed, struct logged_steps *found)
{
	int error = scan_pass_log(s, feed, s->context->periods);
	if (!error)
		error = launch_log_steps(&s->log, s->context->periods, found);
	if (error != -EAGAIN)
		return error;
	free(found->begins);
	found->begins = NULL;
	error = scan_pass_log(s, feed, NULL);
	return error ? error : launch_log_steps(&s->log, s->context->periods, found);
}

static int find_period(struct scanning *s, uint32_t feed)
{
	struct logged_steps found = {.graph = UINT32_MAX};
	int error = scan_steps_seek(s, feed, &found);
	if (!error && found.n)
		error = steps_from_begins(found.begins, found.n, found.begins[found.n], &s->scan->steps);
	s->scan->by_graphs = found.graph != UINT32_MAX;
	if (!error && s->scan->by_graphs)
		say_graph(s, feed, found.graph);
	s->scan->launches = s->log.launches < UINT32_MAX ? (uint32_t)s->log.launches : UINT32_MAX;
	s->scan->period_steps = (uint32_t)found.n;
	free(found.begins);
	return error;
}

static int take_given(struct scanning *s)
{
	const struct proposal *given = s->scan->given;
	return given->n ? steps_from_begins(given->begins, given->n, given->end_ns, &s->scan->steps)
					: 0;
}

static int has_ops(struct feed *feed, bool *found)
{
	struct rows ops;
	int error = rows_open(&ops, &feed->trace, BATON_OP);
	while (!error && !*found && rows_next(&ops))
		*found = feed_is_ours(feed, feed_stream(feed, &ops));
	if (!error)
		error = ops.error;
	rows_close(&ops);
	return error;
}

/* A process with one device has all its ops there. */
static bool surely_has_ops(const struct feed *feed)
{
	const struct baton_reader *reader = &feed->trace.reader;
	for (size_t i = 0; feed->device && feed->trace.n_devices == 2 && i < reader->n_entries; i++)
		if (reader->entries[i].kind == BATON_OP && reader->entries[i].rows > 0)
			return true;
	return false;
}

int scan_steps_any_op(struct scanning *s, bool *any)
{
	int error = 0;
	*any = false;
	for (uint32_t i = 0; !error && !*any && i < s->ds->n; i++) {
		*any = surely_has_ops(&s->ds->feeds[i]);
		if (!*any)
			error = has_ops(&s->ds->feeds[i], any);
	}
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
static int find_last_launch(struct scanning *s, uint32_t feed, int64_t *last_ns)
{
	int error = 0;
	do {
		*last_ns = INT64_MIN;
		error = device_feeds_rewind(s->ds);
		for (const struct op *op; !error && (op = opstream_next(&s->ds->stream));)
			if (op->feed == feed && op->flags & OP_MATCHED && op->ls > *last_ns)
				*last_ns = op->ls;
		error = error ? error : s->ds->stream.error;
	} while (!error && scan_pass_learned(s->ds));
	return error;
}

int scan_steps_cut_undelivered(struct scanning *s, uint32_t feed)
{
	const struct trace *trace = &s->ds->feeds[feed].trace;
	int64_t last_ns;
	if (s->scan->steps.n_steps == 0 || !trace_is_recorded(trace) ||
		trace->losses.by_kind[BATON_LOSS_IN_FLIGHT] == 0)
		return 0;
	int error = find_last_launch(s, feed, &last_ns);
	if (!error)
		steps_cut_undelivered(&s->scan->steps, last_ns);
	return error;
}

static int seek_optimizer(struct scanning *s, uint32_t feed, const uint64_t *launches)
{
	struct device_scan *scan = s->scan;
	const uint64_t partial = forget_steps(&scan->steps);
	int error = steps_from_optimizer(&s->ds->feeds[feed].trace, launches, &scan->steps);
	s->many_loops |= scan->steps.loop.loops > 1;
	error = error ? error : scan_steps_cut_undelivered(s, feed);
	scan->steps.cut += partial;
	scan->by_optimizer = scan->steps.n_steps > 0;
	return error;
}

static int seek_marked(struct scanning *s, uint32_t feed, const uint64_t *launches)
{
	struct device_scan *scan = s->scan;
	const struct step_names by = {s->context->names, s->context->step_range, launches};
	int error = steps_find(&s->ds->feeds[feed].trace, &by, &scan->steps);
	s->many_loops |= scan->steps.loop.loops > 1;
	error = error ? error : scan_steps_cut_undelivered(s, feed);
	return error || scan->steps.n_steps > 0 ? error : seek_optimizer(s, feed, launches);
}

/* Whose marks these are, where threads train by themselves, is decided by what they launch. */
static int with_launches(struct scanning *s, uint32_t feed,
						 int (*seek)(struct scanning *, uint32_t, const uint64_t *))
{
	uint64_t *launches = NULL;
	s->many_loops = false;
	int error = seek(s, feed, NULL);
	if (error || !s->many_loops)
		return error;
	error = scan_pass_count(s, feed, &launches);
	forget_steps(&s->scan->steps);
	error = error ? error : seek(s, feed, launches);
	free(launches);
	return error;
}

/* Steps that the process marks itself. */
static int find_marked(struct scanning *s, uint32_t feed)
{
	return with_launches(s, feed, seek_marked);
}

int scan_steps_optimizer(struct scanning *s)
{
	return with_launches(s, s->scan->process, seek_optimizer);
}

/* Of a process the steps that are asked for. */
struct asked_steps {
	int32_t n;
	int64_t from_ns, to_ns; /* from the begin of its first step to that of its last one */
};

/* Of the steps that were found, which may change. */
static struct asked_steps count_asked(struct scanning *s)
{
	const struct reduce_options *options = s->context->options;
	struct steps *steps = &s->scan->steps;
	struct asked_steps asked = {.n = steps->n_steps};
	if (steps->n_markers) {
		asked.from_ns = steps->markers[0].begin_ns;
		asked.to_ns = steps->markers[steps->n_markers - 1].begin_ns;
	}
	if (options->only_time)
		asked.n = steps_keep_time(steps, options->time.from_ns, options->time.to_ns);
	return asked;
}

/* The device's steps come from the first process that ran something on it and marks steps, when
 * none does from the first that ran something. Of a part of the time: from the first that has steps
 * there, or from one that came after it and has more. */
static int find_process(struct scanning *s, uint32_t *process)
{
	const bool by_time = s->context->options->only_time;
	struct device_feeds *ds = s->ds;
	struct asked_steps best = {0};
	bool any = false, marks = false;
	int error = 0;
	*process = 0;
	for (uint32_t i = 0; !error && ds->n > 1 && (by_time || !marks) && i < ds->n; i++) {
		bool found = false;
		error = has_ops(&ds->feeds[i], &found);
		if (error || !found || !generations_counts(s->context->generations, ds->feeds[i].process))
			continue;
		*process = any ? *process : i;
		any = true;
		if (s->scan->by_period || s->context->options->whole_run)
			break;
		error = find_marked(s, i);
		if (!error && s->scan->steps.n_steps > 0) {
			const struct asked_steps here = count_asked(s);
			const bool takes =
				best.n == 0 ? here.n > 0 || !marks : here.from_ns > best.to_ns && here.n > best.n;
			*process = takes ? i : *process;
			best = takes ? here : best;
			marks = true;
		}
		forget_steps(&s->scan->steps);
	}
	return error;
}

int scan_steps_warmup(struct scanning *s, bool passed)
{
	struct feed *feed = &s->ds->feeds[s->scan->process];
	const bool known = passed && !feed->long_loads.more;
	const struct warmup_calls calls = {.trace = &feed->trace,
									   .names = s->context->names,
									   .known = known ? &feed->long_loads : NULL};
	struct device_scan *scan = s->scan;
	if (!trace_is_recorded(&feed->trace))
		return 0;
	if (s->context->options->only_time && trace_is_shortened(&feed->trace))
		return 0; /* its first step may be whole; what begins before the stretch goes anyway */
	return warmup_cut(&calls, scan->by_optimizer, &scan->steps);
}

int scan_steps_periodic(struct scanning *s, uint32_t process)
{
	uint64_t partial = forget_steps(&s->scan->steps);
	const bool given = s->scan->given != NULL;
	int error = given ? take_given(s) : find_period(s, process);
	error = error ? error : scan_steps_cut_undelivered(s, process);
	s->scan->steps.cut += partial;
	s->scan->by_period = true;
	error = error ? error : scan_steps_warmup(s, !given);
	if (!error && !given && s->log.whole) /* else the pass that follows judges them */
		error = judge_log(s, process);
	launch_log_free_marks(&s->log);
	return error;
}

static int find_of(struct scanning *s, uint32_t process)
{
	struct device_scan *scan = s->scan;
	scan->process = process;
	if (s->context->options->whole_run)
		return 0;
	int error = scan->by_period ? 0 : find_marked(s, process);
	if (error)
		return error;
	if (scan->steps.n_steps == 0)
		return scan_steps_periodic(s, process);
	return scan_steps_warmup(s, false);
}

int scan_steps_find(struct scanning *s)
{
	uint32_t process;
	s->scan->by_period = s->context->options->by_period;
	int error = find_process(s, &process);
	return error ? error : find_of(s, process);
}
