#include "rows_part.h"

#include "base/diag.h"
#include "base/rank_list.h"
#include "base/saturate.h"
#include "export/scene.h"
#include "part_options.h"
#include "part_wanted.h"
#include "reduce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int rows_ask_read(const struct invocation *call, struct rows_ask *ask)
{
	*ask = (struct rows_ask){.dirs = call->operand, .n_dirs = (size_t)call->operands};
	int status = part_ranks_read(call, "rank", &ask->ranks);
	if (status == STATUS_OK)
		status = part_device_read(call, &ask->device);
	if (status == STATUS_OK)
		status = part_steps_read(call, &ask->by_step, &ask->steps);
	return status == STATUS_OK ? part_time_read(call, &ask->by_time, &ask->time) : status;
}

bool rows_ask_is_part(const struct rows_ask *ask)
{
	return ask->ranks || ask->device || ask->by_step || ask->by_time;
}

/* ---- windows of processes ---- */

struct windows {
	const struct rows_ask *ask;
	const struct run *run;
	int64_t *from, *to; /* by process */
	uint32_t last;      /* device that was found last */
	size_t found;
};

static void take_step(const struct step_place *step, void *context)
{
	struct windows *w = context;
	const int64_t number = step->number >= 0 ? step->number : step->step;
	const uint32_t device = scene_device(w->run, step->device, &w->last);
	if (number < w->ask->steps.from || number > w->ask->steps.to || device == UINT32_MAX)
		return;
	w->found++;
	for (uint32_t k = 0; k < w->run->devices[device].n_processes; k++) {
		const uint32_t p = w->run->devices[device].processes[k];
		w->from[p] = step->begin_ns < w->from[p] ? step->begin_ns : w->from[p];
		w->to[p] = step->window_to > w->to[p] ? step->window_to : w->to[p];
	}
}

/* Each process from the launch of the first step to the end of its last one's work. */
static int keep_steps(struct windows *w)
{
	const struct step_span *steps = &w->ask->steps;
	const struct reduce_options *asked = w->ask->how;
	struct reduce_options how = {.step = take_step, .step_context = w};
	struct reduction reduction;
	for (size_t i = 0; i < w->run->n_processes; i++) {
		w->from[i] = INT64_MAX;
		w->to[i] = INT64_MIN;
	}
	if (asked) {
		how.by_period = asked->by_period;
		how.whole_run = asked->whole_run;
		how.step_range = asked->step_range;
		how.classes_file = asked->classes_file;
	}
	diag_once(true); /* the run is read again */
	const int status = reduce_run(w->ask->dirs, w->ask->n_dirs, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	reduction_free(&reduction);
	if (w->found)
		return STATUS_OK;
	diag("%s: no counted step from %" PRId64 " to %" PRId64
		 "; baton dump --step-list lists the steps",
		 w->ask->dirs[0], steps->from, steps->to);
	return STATUS_INPUT;
}

static void keep_time(struct windows *w, int64_t begin_ns)
{
	const int64_t from = saturate_add(begin_ns, w->ask->time.from_ns);
	const int64_t to = saturate_add(begin_ns, w->ask->time.to_ns);
	for (size_t i = 0; i < w->run->n_processes; i++) {
		w->from[i] = from > w->from[i] ? from : w->from[i];
		w->to[i] = to < w->to[i] ? to : w->to[i];
	}
}

static int make_windows(struct windows *w, const struct stats_run *stats)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < w->run->n_processes; i++) {
		w->from[i] = INT64_MIN;
		w->to[i] = INT64_MAX;
	}
	if (w->ask->by_step)
		status = keep_steps(w);
	if (status == STATUS_OK && w->ask->by_time)
		keep_time(w, stats->begin_ns);
	return status;
}

/* ---- all of it ---- */

static bool has_rank(const struct run *run, const char *dir, const char *ranks)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (rank_list_has(ranks, run->processes[i].rank))
			return true;
	if (ranks)
		diag("%s: no rank of --rank %s is in it", dir, ranks);
	return !ranks;
}

/* Fills `part` of an open run that begins at begin_ns. close_part() follows in any case. */
static int open_part(const struct rows_ask *ask, const struct stats_run *stats,
					 struct stats_part *part)
{
	const struct run *run = stats->run;
	const char *dir = ask->dirs[0];
	const struct reduce_options wanted = {.only_ranks = ask->ranks, .only_device = ask->device};
	struct windows w = {.ask = ask, .run = run};
	*part = (struct stats_part){.ranks = ask->ranks};
	if (!has_rank(run, dir, ask->ranks) || (ask->device && part_is_absent(run, dir, &wanted)))
		return STATUS_INPUT;
	if (ask->by_step || ask->by_time) {
		part->from_ns = w.from = malloc((run->n_processes + 1) * sizeof(*w.from));
		part->to_ns = w.to = malloc((run->n_processes + 1) * sizeof(*w.to));
	}
	bool *devices = ask->device ? calloc(run->n_devices + 1, sizeof(*devices)) : NULL;
	part->devices = devices;
	if ((ask->device && !devices) || ((ask->by_step || ask->by_time) && (!w.from || !w.to))) {
		diag("%s: %s", dir, strerror(ENOMEM));
		return STATUS_INPUT;
	}
	for (size_t i = 0; devices && i < run->n_devices; i++)
		devices[i] = part_wants(run, i, &wanted);
	return w.from ? make_windows(&w, stats) : STATUS_OK;
}

static void close_part(struct stats_part *part)
{
	free((void *)part->from_ns);
	free((void *)part->to_ns);
	free((void *)part->devices);
}

int rows_part_view(const struct rows_ask *ask, rows_view *view, const void *context)
{
	struct run run;
	struct stats_run stats;
	int told = STATUS_INPUT;
	const int status = run_open(ask->dirs, ask->n_dirs, &run);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	const int error = stats_run_open(&stats, &run);
	if (error) {
		diag("%s", strerror(-error));
	} else {
		if (rows_ask_is_part(ask))
			stats_find_begin(&stats);
		told = open_part(ask, &stats, &stats.part);
		told = told == STATUS_OK ? view(&stats, context) : told;
		close_part(&stats.part);
		stats_run_close(&stats);
	}
	run_close(&run);
	return (int)status_worse((enum status)status, (enum status)told);
}
