#include "attribute/scan_loops.h"

#include "attribute/scan_steps.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum {
	SURE_PERCENT = 75, /* of the steps are complete, where nothing is amiss */
	OWN_PERCENT = 60,  /* of the launches are of own kernels */
	LEAST_LAUNCHES = 50,
	LEAST_PART = 8,    /* a thread that trains launches so large a part */
	THREADS_TRIED = 4, /* those with most launches */
};

struct tried { /* a thread, and its steps */
	uint32_t thread;
	uint64_t launches;
	int64_t *begins; /* NULL: none, or they are not alike */
	size_t n;
};

static int by_launches(const void *a, const void *b)
{
	const struct tried *x = a, *y = b;
	if (x->launches != y->launches)
		return x->launches > y->launches ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The threads that launch a good part each, but for those that run the backward pass for others. */
static int list_threads(const struct trace *trace, const uint64_t *launches, struct tried *tried,
						uint32_t *n)
{
	struct tried *all = calloc(trace->n_threads, sizeof(*all));
	uint64_t sum = 0;
	size_t n_all = 0;
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 1; i < trace->n_threads; i++) { /* 0: no thread that the trace knows */
		if (loops_is_autograd(trace, i))
			continue;
		sum += launches[i];
		if (launches[i] >= LEAST_LAUNCHES)
			all[n_all++] = (struct tried){.thread = i, .launches = launches[i]};
	}
	sort_rows(all, n_all, sizeof(*all), by_launches);
	for (*n = 0; *n < n_all && *n < THREADS_TRIED && LEAST_PART * all[*n].launches >= sum; ++*n)
		tried[*n] = all[*n];
	free(all);
	return 0;
}

/* Are the steps alike, in what the thread itself launches? Those of windows are (steps/step_windows.h). */
static int are_alike(const struct scanning *s, const struct logged_steps *found, bool *alike)
{
	const struct launch_log *log = &s->log;
	struct own_kernels own;
	struct step_fit fit = {0};
	*alike = found->n >= PERIOD_LEAST_STEPS;
	if (log->n_marks < log->launches)
		return 0;
	int error = own_kernels_open(&own, s->ds->feeds[log->feed].trace.strings.n, (int32_t)found->n);
	for (size_t i = 0, step = 0; !error && *alike && i < log->n_marks; i++) {
		const int64_t at_ns = log->marks[i].launch_ns;
		if (at_ns < found->begins[0] || at_ns >= found->begins[found->n])
			continue;
		while (step + 1 < found->n && at_ns >= found->begins[step + 1])
			step++;
		own_kernels_add(&own, log->marks[i].symbol, (int32_t)step);
	}
	if (!error)
		error = own_kernels_judge(&own, &fit);
	own_kernels_close(&own);
	*alike = *alike && fit.looked &&
			 100 * (uint64_t)fit.complete >= SURE_PERCENT * (uint64_t)fit.looked &&
			 100 * fit.own >= OWN_PERCENT * fit.launches;
	return error;
}

static int try_thread(struct scanning *s, struct tried *tried)
{
	struct logged_steps found = {.graph = UINT32_MAX};
	bool alike = false;
	s->only_thread = tried->thread;
	int error = scan_steps_seek(s, s->scan->process, &found);
	if (!error && found.graph == UINT32_MAX && found.n)
		error = are_alike(s, &found, &alike);
	s->only_thread = 0;
	launch_log_free_marks(&s->log);
	if (!alike || error) {
		free(found.begins);
		return error;
	}
	tried->begins = found.begins;
	tried->n = found.n;
	return 0;
}

/* The steps of the thread that launches most of those that have some. */
static int take_thread(struct scanning *s, const struct tried *tried, uint32_t n, bool *changed)
{
	struct steps steps = {0};
	struct loop_choice loop = {0};
	const struct tried *best = NULL;
	int error = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!tried[i].begins)
			continue;
		loop.here++;
		loop.beside += best ? tried[i].n : 0;
		best = best ? best : &tried[i];
	}
	if (!best)
		return 0;
	loop.loops = loop.here;
	loops_name_thread(&s->ds->feeds[s->scan->process].trace, best->thread, loop.thread);
	error = steps_from_begins(best->begins, best->n, best->begins[best->n], &steps);
	if (error)
		return error;
	steps_free(&s->scan->steps);
	s->scan->steps = steps;
	s->scan->steps.loop = loop;
	s->scan->period_steps = (uint32_t)best->n;
	s->log.whole = false;
	*changed = true;
	error = scan_steps_cut_undelivered(s, s->scan->process);
	return error ? error : scan_steps_warmup(s, true);
}

static bool is_doubtful(const struct device_scan *scan)
{
	const struct step_fit *fit = &scan->fit;
	const bool alike =
		fit->looked && 100 * (uint64_t)fit->complete >= SURE_PERCENT * (uint64_t)fit->looked;
	return scan->by_period && !scan->by_graphs && !scan->given && !scan->empty && !alike;
}

int scan_loops_find(struct scanning *s, bool *changed)
{
	const uint32_t process = s->scan->process;
	struct tried tried[THREADS_TRIED];
	uint64_t *launches = NULL;
	uint32_t n = 0;
	*changed = false;
	if (!is_doubtful(s->scan) || s->ds->feeds[process].trace.n_threads < 3)
		return 0;
	int error = scan_pass_count(s, process, &launches);
	if (!error)
		error = list_threads(&s->ds->feeds[process].trace, launches, tried, &n);
	free(launches);
	if (error || n < 2)
		return error;
	for (uint32_t i = 0; !error && i < n; i++)
		error = try_thread(s, &tried[i]);
	if (!error)
		error = take_thread(s, tried, n, changed);
	for (uint32_t i = 0; i < n; i++)
		free(tried[i].begins);
	return error;
}
