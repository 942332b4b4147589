#include "export/scene.h"

#include "base/diag.h"
#include "base/rank_list.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "read/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

/* ---- idle time and steps, as the reduction tells them ---- */

uint32_t scene_device(const struct run *run, const char *key, uint32_t *last)
{
	for (size_t n = 0; n < run->n_devices; n++) {
		const uint32_t i = (uint32_t)((*last + n) % run->n_devices);
		if (strcmp(strings_get(&run->pool, run->devices[i].key).at, key) == 0) {
			*last = i;
			return i;
		}
	}
	return UINT32_MAX;
}

bool scene_device_process(const struct scene *scene, uint32_t device, uint32_t *process)
{
	const struct run_device *d = &scene->run.devices[device];
	for (uint32_t i = 0; i < d->n_processes; i++)
		if (scene->taken[d->processes[i]]) {
			*process = d->processes[i];
			return true;
		}
	return false;
}

static void take_idle(const struct idle_piece *piece, void *context)
{
	struct scene *scene = context;
	const uint32_t device = scene_device(&scene->run, piece->device, &scene->last_device);
	uint32_t p;
	if (scene->error || device == UINT32_MAX || !scene_device_process(scene, device, &p) ||
		piece->from_ns < scene->from_ns[p] || piece->from_ns >= scene->to_ns[p])
		return;
	scene->error = room_for((void **)&scene->idle, scene->n_idle, &scene->idle_room, LEAST_ROOM,
							sizeof(*scene->idle));
	if (!scene->error)
		scene->idle[scene->n_idle++] =
			(struct scene_idle){piece->from_ns, piece->to_ns, device, piece->leaf};
}

static void take_step(const struct step_place *step, void *context)
{
	struct scene *scene = context;
	const uint32_t device = scene_device(&scene->run, step->device, &scene->last_device);
	uint32_t p;
	if (scene->error || device == UINT32_MAX || !scene_device_process(scene, device, &p))
		return;
	scene->error = room_for((void **)&scene->steps, scene->n_steps, &scene->steps_room, LEAST_ROOM,
							sizeof(*scene->steps));
	if (!scene->error)
		scene->steps[scene->n_steps++] =
			(struct scene_step){step->begin_ns,
								step->end_ns,
								step->window_from,
								step->window_to,
								step->number >= 0 ? step->number : step->step,
								device};
}

/* ---- windows ---- */

/* From the first to the last row of a process, of the kinds that make slices. */
static int hull(const struct run_process *process, int64_t *from, int64_t *to)
{
	struct trace trace;
	int error = run_process_open(process, &trace, NULL);
	if (error)
		return error;
	for (size_t i = 0; i < trace.reader.n_entries; i++) {
		const struct baton_entry *block = &trace.reader.entries[i];
		if (block->kind < BATON_OP || block->kind > BATON_OVERHEAD || block->rows == 0)
			continue;
		*from = block->t_min_ns < *from ? block->t_min_ns : *from;
		*to = block->t_max_ns > *to ? block->t_max_ns : *to;
	}
	trace_close(&trace);
	return 0;
}

/* Leaves out the processes that drive no device of this name. */
static void keep_device(struct scene *scene, const struct export_job *job)
{
	const struct run *run = &scene->run;
	bool *drives = scene->drives;
	for (size_t i = 0; i < run->n_devices; i++)
		for (uint32_t k = 0; k < run->devices[i].n_processes; k++)
			drives[run->devices[i].processes[k]] |= job->wants(run, i, job->filter.device);
	for (size_t i = 0; i < run->n_processes; i++)
		scene->taken[i] &= drives[i];
}

static int open_windows(struct scene *scene, const struct export_job *job)
{
	const struct run *run = &scene->run;
	const struct export_filter *filter = &job->filter;
	uint32_t taken = 0;
	for (size_t i = 0; i < run->n_processes; i++) {
		scene->from_ns[i] = INT64_MAX;
		scene->to_ns[i] = INT64_MIN;
		int error = hull(&run->processes[i], &scene->from_ns[i], &scene->to_ns[i]);
		if (error)
			return error;
		if (scene->to_ns[i] != INT64_MIN && scene->to_ns[i] != INT64_MAX)
			scene->to_ns[i]++;
		scene->taken[i] = rank_list_has(filter->ranks, run->processes[i].rank);
	}
	if (filter->device)
		keep_device(scene, job);
	for (size_t i = 0; i < run->n_processes; i++)
		taken += scene->taken[i];
	if (taken > 0)
		return 0;
	if (filter->device)
		diag("%s: no GPU of it is device %s%s%s", job->dirs[0], filter->device,
			 filter->ranks ? " of rank " : "", filter->ranks ? filter->ranks : "");
	else
		diag("%s: no rank of --rank %s is in it", job->dirs[0], filter->ranks);
	return -ECANCELED;
}

/* Unknown ranks come last. */
static int by_rank(const void *a, const void *b, void *context)
{
	const struct run_process *processes = context;
	const uint32_t *x = a, *y = b;
	const struct run_process *p = &processes[*x], *q = &processes[*y];
	if (p->rank != q->rank)
		return (uint32_t)p->rank < (uint32_t)q->rank ? -1 : 1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	return *x < *y ? -1 : 1;
}

static void order_processes(struct scene *scene)
{
	for (uint32_t i = 0; i < scene->run.n_processes; i++)
		scene->order[i] = i;
	sort_rows_with(scene->order, scene->run.n_processes, sizeof(*scene->order), by_rank,
				   scene->run.processes);
}

static int align_hosts(struct scene *scene)
{
	const struct host_clocks clocks = {.run = &scene->run,
									   .host_of = scene->host_of,
									   .n_hosts = scene->n_hosts,
									   .from_ns = scene->from_ns,
									   .to_ns = scene->to_ns,
									   .offsets = scene->hosts};
	return scene->n_hosts > 1 ? host_clocks_align(&clocks) : 0;
}

static void find_origin(struct scene *scene)
{
	int64_t origin = INT64_MAX;
	scene->origin_ns = 0;
	for (size_t i = 0; i < scene->run.n_processes; i++) {
		if (scene->from_ns[i] == INT64_MAX)
			continue;
		const int64_t first = scene_time(scene, i, scene->from_ns[i]);
		origin = first < origin ? first : origin;
	}
	scene->origin_ns = origin == INT64_MAX ? 0 : origin;
}

/* ---- filters ---- */

void scene_say_no_step(const struct export_job *job)
{
	diag("%s: no counted step from %" PRId64 " to %" PRId64
		 "; baton dump --step-list lists the steps",
		 job->dirs[0], job->filter.from_step, job->filter.to_step);
}

/* Each process from the begin of the first step to the end of its last one's work. */
static int keep_steps(struct scene *scene, const struct export_job *job)
{
	const struct export_filter *filter = &job->filter;
	const size_t n = scene->run.n_processes;
	size_t found = 0;
	int64_t *from = malloc((n + 1) * sizeof(*from)), *to = malloc((n + 1) * sizeof(*to));
	for (size_t i = 0; from && to && i < n; i++) {
		from[i] = INT64_MAX;
		to[i] = INT64_MIN;
	}
	for (size_t i = 0; from && to && i < scene->n_steps; i++) {
		const struct scene_step *step = &scene->steps[i];
		const struct run_device *device = &scene->run.devices[step->device];
		if (step->number < filter->from_step || step->number > filter->to_step)
			continue;
		found++;
		for (uint32_t k = 0; k < device->n_processes; k++) {
			const uint32_t p = device->processes[k];
			from[p] = step->begin_ns < from[p] ? step->begin_ns : from[p];
			to[p] = step->window_to > to[p] ? step->window_to : to[p];
		}
	}
	for (size_t i = 0; from && to && i < n; i++) {
		scene->from_ns[i] = from[i];
		scene->to_ns[i] = to[i];
	}
	const int error = !from || !to ? -ENOMEM : found ? 0 : -ECANCELED;
	free(from);
	free(to);
	if (error == -ECANCELED)
		scene_say_no_step(job);
	return error;
}

/* Before the origin's clock a host's own: the offsets are small beside what a person types. */
static void keep_time(struct scene *scene, const struct export_filter *filter)
{
	for (size_t i = 0; i < scene->run.n_processes; i++) {
		if (scene->from_ns[i] >= scene->to_ns[i])
			continue;
		const int64_t shift =
			saturate_sub(scene->from_ns[i], scene_time(scene, i, scene->from_ns[i]));
		int64_t from, to;
		if (__builtin_add_overflow(filter->from_ns, shift, &from))
			from = INT64_MAX;
		if (__builtin_add_overflow(filter->to_ns, shift, &to))
			to = INT64_MAX;
		scene->from_ns[i] = from > scene->from_ns[i] ? from : scene->from_ns[i];
		scene->to_ns[i] = to < scene->to_ns[i] ? to : scene->to_ns[i];
	}
}

static void leave_ranks(struct scene *scene)
{
	for (size_t i = 0; i < scene->run.n_processes; i++)
		if (!scene->taken[i])
			scene->to_ns[i] = scene->from_ns[i];
}

/* ---- all of it ---- */

static int make_room(struct scene *scene)
{
	const size_t n = scene->run.n_processes + 1;
	scene->order = calloc(n, sizeof(*scene->order));
	scene->taken = calloc(n, sizeof(*scene->taken));
	scene->drives = calloc(n, sizeof(*scene->drives));
	scene->from_ns = calloc(n, sizeof(*scene->from_ns));
	scene->to_ns = calloc(n, sizeof(*scene->to_ns));
	scene->host_of = calloc(n, sizeof(*scene->host_of));
	scene->hosts = calloc(n, sizeof(*scene->hosts));
	return scene->order && scene->taken && scene->drives && scene->from_ns && scene->to_ns &&
				   scene->host_of && scene->hosts
			   ? 0
			   : -ENOMEM;
}

static int frame(struct scene *scene, const struct export_job *job)
{
	int error = make_room(scene);
	if (!error) {
		scene->n_hosts = host_clocks_number(&scene->run, scene->host_of);
		order_processes(scene);
		error = open_windows(scene, job);
	}
	if (!error)
		error = align_hosts(scene);
	if (!error)
		find_origin(scene);
	return error;
}

/* The steps first where they are the window: what is idle outside of it is not kept. */
static int fill(struct scene *scene, const struct export_job *job)
{
	struct reduce_options ask = {.step = take_step, .step_context = scene};
	int error = 0;
	if (job->filter.by_step) {
		if (job->reduce(job, &ask) == STATUS_INPUT)
			return -ECANCELED;
		error = scene->error ? scene->error : keep_steps(scene, job);
		scene->n_steps = 0;
	}
	if (!error && job->filter.by_time)
		keep_time(scene, &job->filter);
	leave_ranks(scene);
	if (!error)
		error = scene_cut(scene, job->filter.most);
	if (error)
		return error;
	ask.idle = take_idle;
	ask.idle_context = scene;
	if (job->reduce(job, &ask) == STATUS_INPUT)
		return -ECANCELED;
	error = scene->error;
	return error ? error : scene_cut(scene, job->filter.most);
}

static int give_up(struct scene *scene, const struct export_job *job, int error)
{
	if (error != -ECANCELED)
		diag("%s: %s", job->dirs[0], strerror(-error));
	scene_close(scene);
	return STATUS_INPUT;
}

int scene_open_frame(struct scene *scene, const struct export_job *job)
{
	memset(scene, 0, sizeof(*scene));
	scene->job = job;
	const int status = run_open(job->dirs, job->n_dirs, &scene->run);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	scene->cut_ns = INT64_MAX;
	const int error = frame(scene, job);
	return error ? give_up(scene, job, error) : STATUS_OK;
}

static int open_with(struct scene *scene, const struct export_job *job,
					 int (*fill_it)(struct scene *scene, const struct export_job *job))
{
	const int reduced = job->reduce(job, &(struct reduce_options){.store = true});
	if (reduced != STATUS_OK && reduced != STATUS_PARTIAL)
		return reduced;
	const int status = scene_open_frame(scene, job);
	if (status != STATUS_OK)
		return status;
	scene->status = reduced;
	const int error = fill_it(scene, job);
	return error ? give_up(scene, job, error) : STATUS_OK;
}

static int fill_bare(struct scene *scene, const struct export_job *job)
{
	(void)job;
	leave_ranks(scene);
	return 0;
}

int scene_open(struct scene *scene, const struct export_job *job)
{
	return open_with(scene, job, fill);
}

int scene_open_bare(struct scene *scene, const struct export_job *job)
{
	return open_with(scene, job, fill_bare);
}

void scene_close(struct scene *scene)
{
	run_close(&scene->run);
	free(scene->order);
	free(scene->taken);
	free(scene->drives);
	free(scene->from_ns);
	free(scene->to_ns);
	free(scene->host_of);
	free(scene->hosts);
	free(scene->idle);
	free(scene->steps);
	memset(scene, 0, sizeof(*scene));
}

const char *scene_clock_words(const struct scene *scene, char text[CLOCK_WORDS])
{
	const struct clock_state state = host_clocks_state(scene->hosts, scene->n_hosts);
	return host_clocks_words(&state, text);
}
