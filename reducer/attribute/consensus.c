#include "attribute/consensus.h"

#include "attribute/scan_pass.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { SURE_PERCENT = 75, FEW_LAUNCHES = 50 };

static bool takes_part(const struct device_scan *scan)
{
	return !scan->empty && scan->by_period && scan->launches > FEW_LAUNCHES;
}

/* Its own marks or threads say more than what all devices agree on. */
static bool decides_alone(const struct device_scan *scan)
{
	return scan->other.instead || scan->steps.loop.loops;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static uint32_t median(uint32_t *values, size_t n)
{
	sort_rows(values, n, sizeof(*values), by_number);
	return values[(n - 1) / 2];
}

static uint32_t confidence(const struct device_scan *scan)
{
	return scan->fit.looked ? 100 * scan->fit.complete / scan->fit.looked : 0;
}

bool consensus_needed(const struct device_scan *scans, size_t n)
{
	uint32_t *values = malloc((n + 1) * sizeof(*values));
	size_t ranks = 0;
	bool agree = true, all = values != NULL;
	for (size_t i = 0; all && i < n; i++) {
		if (decides_alone(&scans[i]))
			all = false;
		else if (takes_part(&scans[i]))
			values[ranks++] = scans[i].period_steps;
		else
			all = scans[i].empty || scans[i].by_period;
	}
	if (all && ranks) {
		const uint32_t usual = median(values, ranks);
		for (size_t i = 0; agree && i < ranks; i++)
			agree = usual > 0 && proposals_near(usual, values[i]);
		ranks = 0;
		for (size_t i = 0; i < n; i++)
			if (takes_part(&scans[i]))
				values[ranks++] = confidence(&scans[i]);
		agree = agree && median(values, ranks) >= SURE_PERCENT;
	}
	free(values);
	return all && ranks && !agree;
}

static int propose(struct scanning *s, uint32_t process, struct proposals *proposals)
{
	struct launch_log *log = &s->log;
	int64_t *begins = NULL;
	size_t n = 0;
	int error = scan_pass_log(s, process, NULL);
	launch_log_sort(log);
	if (!error)
		error = period_memo_find(s->context->periods, log->marks, log->n_marks, &begins, &n);
	if (!error)
		error = proposals_find(log->marks, log->n_marks, s->ds->feeds[process].trace.strings.n,
							   begins, n, proposals);
	for (size_t i = 0; !error && i < proposals->n; i++)
		error = step_inputs_take(&log->inputs, log->marks, log->n_marks, &log->graphs,
								 proposals->at[i].begins, proposals->at[i].n);
	free(begins);
	return error;
}

int consensus_propose(const struct device_context *context, const struct device_scan *scan,
					  struct proposals *proposals)
{
	struct device_feeds ds = {0};
	struct device_scan own = {.device = scan->device, .empty = true};
	struct scanning s = {.context = context, .scan = &own, .ds = &ds};
	if (!takes_part(scan))
		return 0;
	int error = device_feeds_open(context, &own, &ds);
	if (!error)
		error = scan_pass_open(&s);
	if (!error)
		error = propose(&s, scan->process, proposals);
	scan_pass_close(&s);
	device_feeds_close(&ds);
	free(own.ends);
	return error;
}

void consensus_choose(const struct device_scan *scans, size_t n, const struct proposals *proposals,
					  struct proposal *given)
{
	struct proposals *ranks = calloc(n + 1, sizeof(*ranks));
	size_t n_ranks = 0;
	for (size_t i = 0; ranks && i < n; i++)
		if (takes_part(&scans[i]))
			ranks[n_ranks++] = proposals[i];
	const uint32_t steps = ranks ? proposals_agree(ranks, n_ranks) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct proposal *best = steps ? proposals_best(&proposals[i], steps) : NULL;
		given[i] = best ? *best : (struct proposal){0};
	}
	free(ranks);
}
