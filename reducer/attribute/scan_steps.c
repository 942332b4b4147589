#include "attribute/scan_steps.h"

#include "steps/optimizer.h"
#include "steps/period.h"
#include "steps/warmup.h"

/* One pass finds the rhythm and gathers all the rest. */
static int find_period(struct scanning *s)
{
	struct launch_log *log = &s->log;
	int64_t *begins = NULL;
	size_t n = 0;
	int error = scan_pass_log(s);
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

/* The device's steps come from its first process that ran something on it. */
static int first_process(struct device_sources *ds, uint32_t *first)
{
	bool found = ds->n == 1;
	int error = 0;
	*first = 0;
	for (uint32_t i = 0; !error && !found && i < ds->n; i++) {
		error = has_ops(&ds->sources[i], &found);
		if (found)
			*first = i;
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
	} while (!error && scan_pass_learned(s->ds));
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

static int find_of(struct scanning *s, uint32_t first)
{
	struct trace *trace = &s->ds->sources[first].trace;
	const struct reduce_options *options = s->context->options;
	struct device_scan *scan = s->scan;
	bool recorded = trace_is_recorded(trace);
	int error = 0;
	scan->by_period = options->steps && strcmp(options->steps, "period") == 0;
	if (!scan->by_period)
		error = steps_find(trace, s->context->names, options->step_range, &scan->steps);
	error = error ? error : cut_undelivered(s, first);
	if (!error && scan->steps.n_steps == 0 && !scan->by_period) {
		uint64_t partial = forget_steps(&scan->steps);
		error = steps_from_optimizer(trace, &scan->steps);
		error = error ? error : cut_undelivered(s, first);
		scan->steps.cut += partial;
		scan->by_optimizer = scan->steps.n_steps > 0;
	}
	if (!error && scan->steps.n_steps == 0 && (scan->by_period || recorded)) {
		uint64_t partial = forget_steps(&scan->steps);
		error = find_period(s);
		error = error ? error : cut_undelivered(s, first);
		scan->steps.cut += partial;
		scan->by_period = true;
	}
	if (!error && recorded)
		error = warmup_cut(trace, s->context->names, scan->by_optimizer, &scan->steps);
	return error;
}

int scan_steps_find(struct scanning *s)
{
	uint32_t first;
	int error = first_process(s->ds, &first);
	return error ? error : find_of(s, first);
}
