#include "attribute/scan_steps.h"

#include "steps/optimizer.h"
#include "steps/period.h"
#include "steps/warmup.h"

#include <stdlib.h>

/* One pass finds the rhythm and gathers all the rest. */
static int find_period(struct scanning *s, uint32_t feed)
{
	struct launch_log *log = &s->log;
	int64_t *begins = NULL;
	size_t n = 0;
	int error = scan_pass_log(s, feed);
	launch_log_sort(log);
	if (!error && log->n_marks)
		error = period_find(log->marks, log->n_marks, &begins, &n);
	if (!error && n)
		error = steps_from_begins(begins, n, log->marks[log->n_marks - 1].launch_ns + 1,
								  &s->scan->steps);
	free(begins);
	launch_log_free_marks(log);
	return error;
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

/* The end of a process that was killed has launches and marks but no ops. */
static int cut_undelivered(struct scanning *s, uint32_t feed)
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

/* Steps that the process marks itself. */
static int find_marked(struct scanning *s, uint32_t feed)
{
	struct trace *trace = &s->ds->feeds[feed].trace;
	struct device_scan *scan = s->scan;
	const struct step_names by = {s->context->names, s->context->step_range};
	int error = steps_find(trace, &by, &scan->steps);
	error = error ? error : cut_undelivered(s, feed);
	if (error || scan->steps.n_steps > 0)
		return error;
	uint64_t partial = forget_steps(&scan->steps);
	error = steps_from_optimizer(trace, &scan->steps);
	error = error ? error : cut_undelivered(s, feed);
	scan->steps.cut += partial;
	scan->by_optimizer = scan->steps.n_steps > 0;
	return error;
}

/* The device's steps come from the first process that ran something on it and marks steps, when
 * none does from the first that ran something. */
static int find_process(struct scanning *s, uint32_t *process)
{
	struct device_feeds *ds = s->ds;
	bool any = false, marks = ds->n == 1;
	int error = 0;
	*process = 0;
	for (uint32_t i = 0; !error && !marks && i < ds->n; i++) {
		bool found = false;
		error = has_ops(&ds->feeds[i], &found);
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

static int find_of(struct scanning *s, uint32_t process)
{
	struct trace *trace = &s->ds->feeds[process].trace;
	struct device_scan *scan = s->scan;
	bool recorded = trace_is_recorded(trace);
	int error = scan->by_period ? 0 : find_marked(s, process);
	if (!error && scan->steps.n_steps == 0 && (scan->by_period || recorded)) {
		uint64_t partial = forget_steps(&scan->steps);
		error = find_period(s, process);
		error = error ? error : cut_undelivered(s, process);
		scan->steps.cut += partial;
		scan->by_period = true;
	}
	if (!error && recorded)
		error = warmup_cut(trace, s->context->names, scan->by_optimizer, &scan->steps);
	return error;
}

int scan_steps_find(struct scanning *s)
{
	uint32_t process;
	s->scan->by_period = s->context->options->by_period;
	int error = find_process(s, &process);
	return error ? error : find_of(s, process);
}
