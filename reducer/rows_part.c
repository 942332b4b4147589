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
	*ask = (struct rows_ask){0};
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
static int keep_steps(struct windows *w, char *const *dirs, size_t n_dirs)
{
	const struct reduce_options how = {.step = take_step, .step_context = w};
	struct reduction reduction;
	for (size_t i = 0; i < w->run->n_processes; i++) {
		w->from[i] = INT64_MAX;
		w->to[i] = INT64_MIN;
	}
	diag_once(true); /* the run is read again */
	const int status = reduce_run(dirs, n_dirs, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	reduction_free(&reduction);
	if (w->found)
		return STATUS_OK;
	diag("%s: no counted step from %" PRId64 " to %" PRId64
		 "; baton dump --step-list lists the steps",
		 dirs[0], w->ask->steps.from, w->ask->steps.to);
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

static int make_windows(struct windows *w, const struct stats_run *stats, char *const *dirs,
						size_t n_dirs)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < w->run->n_processes; i++) {
		w->from[i] = INT64_MIN;
		w->to[i] = INT64_MAX;
	}
	if (w->ask->by_step)
		status = keep_steps(w, dirs, n_dirs);
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

int rows_part_open(const struct rows_ask *ask, const struct stats_run *stats, char *const *dirs,
				   size_t n_dirs, struct stats_part *part)
{
	const struct run *run = stats->run;
	const struct reduce_options wanted = {.only_ranks = ask->ranks, .only_device = ask->device};
	struct windows w = {.ask = ask, .run = run};
	*part = (struct stats_part){.ranks = ask->ranks};
	if (!has_rank(run, dirs[0], ask->ranks) ||
		(ask->device && part_is_absent(run, dirs[0], &wanted)))
		return STATUS_INPUT;
	if (ask->by_step || ask->by_time) {
		part->from_ns = w.from = malloc((run->n_processes + 1) * sizeof(*w.from));
		part->to_ns = w.to = malloc((run->n_processes + 1) * sizeof(*w.to));
	}
	bool *devices = ask->device ? calloc(run->n_devices + 1, sizeof(*devices)) : NULL;
	part->devices = devices;
	if ((ask->device && !devices) || ((ask->by_step || ask->by_time) && (!w.from || !w.to))) {
		diag("%s: %s", dirs[0], strerror(ENOMEM));
		return STATUS_INPUT;
	}
	for (size_t i = 0; devices && i < run->n_devices; i++)
		devices[i] = part_wants(run, i, &wanted);
	return w.from ? make_windows(&w, stats, dirs, n_dirs) : STATUS_OK;
}

void rows_part_close(struct stats_part *part)
{
	free((void *)part->from_ns);
	free((void *)part->to_ns);
	free((void *)part->devices);
	*part = (struct stats_part){0};
}
