#include "attribute/scan_doubt.h"

#include "attribute/scan_steps.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { FEW_GRAPHS = 4 };
/* What steps of an import must be that nobody asked for: so many complete, so many launches of their
 * own kernels, the median step so large a part of the mean. */
enum { SURE_PERCENT = 75, OWN_PERCENT = 60, EVEN_PART = 4 };

/* ---- marks of nothing ---- */

bool scan_doubt_last(struct scanning *s)
{
	struct device_scan *scan = s->scan;
	const int32_t n = scan->steps.n_steps;
	const bool is_written = !s->ds->feeds[scan->process].trace.reader.closed;
	int32_t empty = 0;
	if (scan->by_period || scan->by_optimizer || (is_written && s->context->options->only_time))
		return false;
	while (empty < n && scan->ends[n - empty] == INT64_MIN)
		empty++;
	if (empty == 0 || empty == n)
		return false;
	steps_cut_empty(&scan->steps, empty);
	s->log.whole = false;
	return true;
}

/* ---- marks that cover little ---- */

/* Steps of a way, to come back to. */
struct kept {
	struct steps steps;
	struct step_fit fit;
	bool by_period, by_graphs, by_optimizer;
};

static struct kept keep(struct device_scan *scan)
{
	const struct kept kept = {.steps = scan->steps,
							  .fit = scan->fit,
							  .by_period = scan->by_period,
							  .by_graphs = scan->by_graphs,
							  .by_optimizer = scan->by_optimizer};
	scan->steps = (struct steps){0};
	scan->by_period = scan->by_graphs = scan->by_optimizer = false;
	return kept;
}

/* Notes the way that is not used, and takes the other one's steps. */
static void use(struct device_scan *scan, struct kept *used, struct kept *other)
{
	scan->other.steps = (uint32_t)other->steps.n_steps;
	scan->other.fit = other->fit;
	scan->steps = used->steps;
	scan->fit = used->fit;
	scan->by_period = used->by_period;
	scan->by_graphs = used->by_graphs;
	scan->by_optimizer = used->by_optimizer;
	steps_free(&other->steps);
}

/* Whole steps follow after the last one, or more graphs than there are steps. */
static bool goes_on(const struct device_scan *scan)
{
	return scan->by_optimizer && (step_fit_goes_on(&scan->fit, scan->steps.n_steps) ||
								  (scan->graphs_after >= FEW_GRAPHS &&
								   scan->graphs_after > (uint32_t)scan->steps.n_steps));
}

static int seek_optimizer(struct scanning *s)
{
	s->log.whole = false;
	const int error = scan_steps_optimizer(s);
	return error ? error : scan_steps_warmup(s, false);
}

/* Seeks the steps in another way, and judges them. `tail`: as the marks stop too early, more steps are
 * enough; else they have to convince. The marks' own steps stay where they do not. */
static int try_way(struct scanning *s, enum steps_way way, bool tail, bool *taken)
{
	struct device_scan *scan = s->scan;
	struct kept marked = keep(scan);
	scan->fit = (struct step_fit){0};
	int error = way == WAY_OPTIMIZER ? seek_optimizer(s) : scan_steps_periodic(s, scan->process);
	if (!error && !s->log.whole && scan->steps.n_steps > 0)
		error = scan_pass_whole(s);
	struct kept found = keep(scan);
	*taken = !error && found.steps.n_steps > (tail ? marked.steps.n_steps : 0) &&
			 (tail || step_fit_convinces(&found.fit));
	scan->other.instead = *taken;
	if (*taken) {
		scan->other.way = marked.by_optimizer ? WAY_OPTIMIZER : WAY_MARKER;
		use(scan, &found, &marked);
	} else {
		scan->other.way = way;
		use(scan, &marked, &found);
	}
	return error;
}

int scan_doubt_marks(struct scanning *s, bool *changed)
{
	struct device_scan *scan = s->scan;
	const bool tail = goes_on(scan);
	bool taken = false;
	int error = 0;
	*changed = false;
	if (scan->by_period || scan->steps.n_steps == 0 || s->context->step_range ||
		(!tail && !step_fit_covers_little(&scan->fit)))
		return 0;
	*changed = true; /* the passes went through other steps */
	if (!tail && !scan->by_optimizer)
		error = try_way(s, WAY_OPTIMIZER, false, &taken);
	if (!error && !taken && (tail || step_fit_like_around(&scan->fit)))
		error = try_way(s, WAY_PERIOD, tail, &taken);
	if (!error && !taken)
		s->log.whole = false;
	return error;
}

/* ---- steps of an import ---- */

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The lower median of the steps' lengths is at least a quarter of their mean, and they are half of
 * the run. A layer that recurs within a single step is neither. */
static int are_even(const struct device_scan *scan, bool *even)
{
	const size_t n = (size_t)scan->steps.n_steps;
	int64_t *lengths = malloc(n * sizeof(*lengths));
	const int64_t first = scan->ends[0] == INT64_MIN ? scan->hull_from : scan->ends[0];
	int64_t last = first;
	if (!lengths)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const int64_t end = scan->ends[i + 1] > last ? scan->ends[i + 1] : last;
		lengths[i] = end - last;
		last = end;
	}
	sort_rows(lengths, n, sizeof(*lengths), by_length);
	*even = EVEN_PART * (__int128)lengths[(n - 1) / 2] >= (last - first) / (int64_t)n &&
			last - first >= (scan->hull_to - scan->hull_from) / 2;
	free(lengths);
	return 0;
}

int scan_doubt_period(struct scanning *s, bool *changed)
{
	struct device_scan *scan = s->scan;
	const bool imported = !trace_is_recorded(&s->ds->feeds[scan->process].trace);
	const struct step_fit *fit = &scan->fit;
	bool even = true;
	*changed = false;
	if (!imported || !scan->by_period || s->context->options->by_period || !scan->steps.n_steps)
		return 0;
	const bool loops = scan->steps.loop.here > 0; /* their own launches were judged */
	const bool sure =
		loops || (100 * (uint64_t)fit->complete >= SURE_PERCENT * (uint64_t)fit->looked &&
				  100 * fit->own >= OWN_PERCENT * fit->launches);
	int error = sure ? are_even(scan, &even) : 0;
	*changed = !error && (!sure || !even);
	if (*changed) {
		steps_free(&scan->steps);
		scan->fit = (struct step_fit){0};
	}
	return error;
}
