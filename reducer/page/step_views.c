#include "page/step_views.h"

#include "attribute/feed.h"
#include "attribute/op_ring.h"
#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024, FOUND_MOST = 3 };

struct gathered { /* of one step */
	struct scene_step *steps;
	size_t n_steps, steps_room;
	struct scene_idle *idle;
	size_t n_idle, idle_room;
	struct view_nccl *nccl;
	size_t n_nccl, nccl_room;
	uint32_t device;        /* the device that was told of last ... */
	int64_t from_ns, to_ns; /* ... and what of its time is shown */
};

struct gathering {
	struct scene *scene;
	struct step_cells *cells;
	struct step_pick *picks;
	size_t n;
	struct gathered of[STEP_PICKS];
	int error;
};

static void take_step(const struct step_place *place, void *context)
{
	struct gathering *g = context;
	const int64_t number = place->number >= 0 ? place->number : place->step;
	const uint32_t device = scene_device(&g->scene->run, place->device, &g->scene->last_device);
	if (device == UINT32_MAX)
		return;
	if (!g->error)
		g->error = step_cells_take(g->cells, g->scene, device, place);
	for (size_t i = 0; i < g->n && !g->error; i++) {
		struct gathered *of = &g->of[i];
		if (g->picks[i].step < 0 && g->picks[i].number == number)
			g->picks[i].step = place->step;
		if (place->step != g->picks[i].step)
			continue;
		g->error = room_for((void **)&of->steps, of->n_steps, &of->steps_room, LEAST_ROOM,
							sizeof(*of->steps));
		if (!g->error)
			of->steps[of->n_steps++] =
				(struct scene_step){place->begin_ns,  place->end_ns, place->window_from,
									place->window_to, number,        device};
		of->device = device;
		of->from_ns = place->begin_ns < place->window_from ? place->begin_ns : place->window_from;
		of->to_ns = place->window_to;
	}
}

/* NCCL's work of what is shown of a device: its step was told before. */
static void take_op(const struct op_seen *seen, void *context)
{
	struct gathering *g = context;
	if (!seen->collective)
		return;
	const uint32_t device = scene_device(&g->scene->run, seen->device, &g->scene->last_device);
	for (size_t i = 0; i < g->n && !g->error; i++) {
		struct gathered *of = &g->of[i];
		if (of->n_steps == 0 || of->device != device || seen->op->start < of->from_ns ||
			seen->op->start >= of->to_ns)
			continue;
		g->error =
			room_for((void **)&of->nccl, of->n_nccl, &of->nccl_room, LEAST_ROOM, sizeof(*of->nccl));
		if (!g->error)
			of->nccl[of->n_nccl++] = (struct view_nccl){.process = seen->feed->process,
														.device = device,
														.start_ns = seen->op->start,
														.dur_ns = seen->op->end - seen->op->start,
														.wait_ns = seen->wait_ns,
														.members = seen->members,
														.unsplit = seen->unsplit};
	}
}

static void take_idle(const struct idle_piece *piece, void *context)
{
	struct gathering *g = context;
	for (size_t i = 0; i < g->n && !g->error; i++) {
		struct gathered *of = &g->of[i];
		if (piece->step != g->picks[i].step)
			continue;
		const uint32_t device = scene_device(&g->scene->run, piece->device, &g->scene->last_device);
		g->error =
			room_for((void **)&of->idle, of->n_idle, &of->idle_room, LEAST_ROOM, sizeof(*of->idle));
		if (!g->error && device != UINT32_MAX)
			of->idle[of->n_idle++] =
				(struct scene_idle){piece->from_ns, piece->to_ns, device, piece->leaf};
	}
}

/* ---- the frame of a step ---- */

static uint32_t process_of(const struct scene *scene, uint32_t device)
{
	return scene->run.devices[device].processes[0];
}

/* Each process from the first launch of the step, or from the end of the work before it, to the end
 * of its work. */
static void open_windows(struct scene *scene, const struct gathered *of)
{
	for (size_t i = 0; i < scene->run.n_processes; i++) {
		scene->from_ns[i] = INT64_MAX;
		scene->to_ns[i] = INT64_MIN;
	}
	for (size_t i = 0; i < of->n_steps; i++) {
		const struct scene_step *s = &of->steps[i];
		const struct run_device *device = &scene->run.devices[s->device];
		const int64_t from = s->begin_ns < s->window_from ? s->begin_ns : s->window_from;
		for (uint32_t k = 0; k < device->n_processes; k++) {
			const uint32_t p = device->processes[k];
			scene->from_ns[p] = from < scene->from_ns[p] ? from : scene->from_ns[p];
			scene->to_ns[p] = s->window_to > scene->to_ns[p] ? s->window_to : scene->to_ns[p];
		}
	}
}

static int place_devices(struct step_view *view, const struct scene *scene,
						 const struct gathered *of)
{
	view->devices = calloc(scene->run.n_devices + 1, sizeof(*view->devices));
	view->order = calloc(of->n_steps + 1, sizeof(*view->order));
	if (!view->devices || !view->order)
		return -ENOMEM;
	view->origin_ns = INT64_MAX;
	for (size_t i = 0; i < scene->run.n_devices; i++)
		view->devices[i].row = UINT32_MAX;
	for (size_t i = 0; i < of->n_steps; i++) {
		const struct scene_step *s = &of->steps[i];
		struct view_device *device = &view->devices[s->device];
		device->from_ns = scene_time(scene, process_of(scene, s->device), s->window_from);
		device->to_ns = device->from_ns + (s->window_to - s->window_from);
		view->origin_ns = device->from_ns < view->origin_ns ? device->from_ns : view->origin_ns;
		view->order[view->n_order++] = s->device;
	}
	for (uint32_t i = 0; i < view->n_order; i++) {
		struct view_device *device = &view->devices[view->order[i]];
		device->from_ns -= view->origin_ns;
		device->to_ns -= view->origin_ns;
		view->to_ns = device->to_ns > view->to_ns ? device->to_ns : view->to_ns;
	}
	view->number = of->steps[0].number;
	view->cell_ns = view->to_ns / VIEW_CELLS + 1;
	return 0;
}

struct by_rank {
	const struct scene *scene;
	const uint32_t *place; /* of processes, in the order of ranks */
};

static int by_rank(const void *a, const void *b, void *context)
{
	const struct by_rank *by = context;
	const uint32_t *x = a, *y = b;
	const uint32_t p = by->place[process_of(by->scene, *x)],
				   q = by->place[process_of(by->scene, *y)];
	if (p != q)
		return p < q ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static int order_devices(struct step_view *view, const struct scene *scene)
{
	uint32_t *place = calloc(scene->run.n_processes + 1, sizeof(*place));
	if (!place)
		return -ENOMEM;
	for (uint32_t i = 0; i < scene->run.n_processes; i++)
		place[scene->order[i]] = i;
	sort_rows_with(view->order, view->n_order, sizeof(*view->order), by_rank,
				   &(struct by_rank){scene, place});
	free(place);
	return 0;
}

static int64_t length_of(const struct step_view *view, uint32_t device)
{
	return view->devices[device].to_ns - view->devices[device].from_ns;
}

static int fold_rows(struct step_view *view)
{
	const uint32_t each = (view->n_order + VIEW_ROWS - 1) / VIEW_ROWS;
	view->rows = calloc(VIEW_ROWS, sizeof(*view->rows));
	if (!view->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->n_order; i++) {
		struct view_row *row = &view->rows[i / each];
		const uint32_t device = view->order[i];
		if (i % each == 0) {
			*row = (struct view_row){.from = i, .longest = device};
			row->cells = calloc(VIEW_CELLS, sizeof(*row->cells));
			if (!row->cells)
				return -ENOMEM;
			view->n_rows++;
		}
		row->n++;
		row->window_ns += length_of(view, device);
		if (length_of(view, device) > length_of(view, row->longest))
			row->longest = device;
		view->devices[device].row = i / each;
	}
	return 0;
}

/* ---- which processes are shown event by event ---- */

static void show_process(struct step_view *view, const struct scene *scene, uint32_t device,
						 const char *why)
{
	const uint32_t p = process_of(scene, device);
	const struct run_process *process = &scene->run.processes[p];
	for (uint32_t i = 0; i < view->n_processes; i++)
		if (view->processes[i].process == p)
			return;
	view->processes[view->n_processes++] =
		(struct view_process){.process = p,
							  .rank = process->rank,
							  .why = why,
							  .pid = process->pid,
							  .host = strings_get(&scene->run.pool, process->host).at};
}

static int by_length(const void *a, const void *b, void *context)
{
	const struct step_view *view = context;
	const uint32_t *x = a, *y = b;
	const int64_t p = length_of(view, *x), q = length_of(view, *y);
	if (p != q)
		return p > q ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static void show_device(struct step_view *view, struct step_views *views, size_t of,
						const char *why)
{
	const struct summary *summary = views->subject.summary;
	const char *key = summary_text(summary, summary->devices[of].key);
	const uint32_t device = scene_device(&views->scene.run, key, &views->scene.last_device);
	if (device != UINT32_MAX && view->devices[device].row != UINT32_MAX)
		show_process(view, &views->scene, device, why);
}

/* Whom a finding is about, and who loses most by it in this step: of a late rank not the same. */
static void show_finding(struct step_view *view, struct step_views *views,
						 const struct finding *finding, bool worst)
{
	int64_t number;
	size_t device;
	const char *name = finding_kinds[finding->id].name;
	if (finding->whom.device_known && finding_counts(finding))
		show_device(view, views, finding->whom.device, name);
	if (worst && step_pick_worst(views->subject.summary, finding, &number, &device))
		show_device(view, views, device, finding->whom.device_known ? "most" : name);
}

/* First those of which this step is the worst. */
static void show_found(struct step_view *view, struct step_views *views)
{
	const struct findings *findings = views->subject.findings;
	for (int here = 1; here >= 0; here--)
		for (size_t i = 0; i < findings->n && view->n_processes < FOUND_MOST; i++)
			if ((i < 64 && view->findings >> i & 1) == (here != 0))
				show_finding(view, views, &findings->at[i], here != 0);
}

/* After those of findings the longest, the shortest and the middle one, then some between them. */
static int choose_processes(struct step_view *view, struct step_views *views)
{
	static const char *const why[] = {"longest", "shortest", "middle"};
	const struct scene *scene = &views->scene;
	const uint32_t n = view->n_order;
	uint32_t *sorted = malloc((n + 1) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, view->order, n * sizeof(*sorted));
	sort_rows_with(sorted, n, sizeof(*sorted), by_length, view);
	const uint32_t first[] = {0, n - 1, n / 2};
	show_found(view, views);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		show_process(view, scene, sorted[first[i]], why[i]);
	for (uint32_t i = 0; i < VIEW_PROCESSES && view->n_processes < VIEW_PROCESSES; i++)
		show_process(view, scene, sorted[(uint64_t)i * n / VIEW_PROCESSES], "");
	for (uint32_t i = 0; n <= VIEW_PROCESSES && i < n && view->n_processes < VIEW_PROCESSES; i++)
		show_process(view, scene, sorted[i], "");
	free(sorted);
	return 0;
}

/* ---- idle time ---- */

/* The device's track in a process that is shown; it is made where it is missing. */
static int idle_track(struct view_process *process, const char *key, size_t *track)
{
	for (*track = 0; *track < process->n_tracks; ++*track)
		if (process->tracks[*track].kind == TRACK_IDLE &&
			strncmp(process->tracks[*track].name, key, sizeof(process->tracks[0].name) - 1) == 0)
			return 0;
	if (room_next((void **)&process->tracks, process->n_tracks, sizeof(*process->tracks)) != 0)
		return -ENOMEM;
	struct view_track *made = &process->tracks[process->n_tracks++];
	*made = (struct view_track){.kind = TRACK_IDLE};
	strncat(made->name, key, sizeof(made->name) - 1);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct scene_idle *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int put_idle(struct step_view *view, const struct scene *scene,
					const struct scene_idle *idle)
{
	const uint32_t p = process_of(scene, idle->device);
	const int64_t from = scene_time(scene, p, idle->from_ns) - view->origin_ns;
	const int64_t ns = idle->to_ns - idle->from_ns;
	size_t track;
	step_view_fill(view, idle->device, (enum leaf)idle->leaf, from, from + ns);
	if (view->devices[idle->device].row != UINT32_MAX)
		view->rows[view->devices[idle->device].row].idle_ns[idle->leaf] += ns;
	for (uint32_t i = 0; i < view->n_processes; i++) {
		struct view_process *process = &view->processes[i];
		if (process->process != p)
			continue;
		const char *key = strings_get(&scene->run.pool, scene->run.devices[idle->device].key).at;
		const int error = idle_track(process, key, &track);
		return error ? error
					 : step_view_add(
						   process, track,
						   &(struct view_event){
							   .start_ns = from, .dur_ns = ns, .name = idle->leaf, .bytes = -1});
	}
	return 0;
}

/* ---- all of it ---- */

static int make_view(struct step_views *views, struct step_view *view, struct gathered *of)
{
	struct scene *scene = &views->scene;
	int error = place_devices(view, scene, of);
	if (!error)
		error = order_devices(view, scene);
	if (!error)
		error = fold_rows(view);
	if (!error)
		error = choose_processes(view, views);
	sort_rows(of->nccl, of->n_nccl, sizeof(*of->nccl), view_nccl_order);
	view->nccl = of->nccl;
	view->n_nccl = of->n_nccl;
	of->nccl = NULL;
	sort_rows(of->idle, of->n_idle, sizeof(*of->idle), by_time);
	for (size_t i = 0; i < of->n_idle && !error; i++)
		error = put_idle(view, scene, &of->idle[i]);
	if (error)
		return error;
	open_windows(scene, of);
	return step_walk(scene, view, &views->names);
}

/* A step that several picks found is one. */
static void join_picks(struct gathering *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < i; k++)
			if (g->picks[i].step >= 0 && g->picks[k].step == g->picks[i].step) {
				g->picks[k].findings |= g->picks[i].findings;
				g->picks[i].step = -1;
				g->of[i].n_steps = 0;
			}
}

static int gather(struct step_views *views, const struct export_job *job, struct gathering *g)
{
	const struct reduce_options ask = {.step = take_step,
									   .step_context = g,
									   .idle = take_idle,
									   .idle_context = g,
									   .op = take_op,
									   .op_context = g};
	if (scene_open_frame(&views->scene, job) != STATUS_OK)
		return 0;
	views->opened = true;
	g->scene = &views->scene;
	g->cells = &views->cells;
	g->error = step_cells_open(g->cells, views->subject.summary, views->scene.run.n_devices);
	job->reduce(job, &ask);
	int error = g->error;
	join_picks(g);
	for (size_t i = 0; i < g->n && !error; i++) {
		if (g->of[i].n_steps == 0)
			continue;
		views->at[views->n].why = g->picks[i].why;
		views->at[views->n].findings = g->picks[i].findings;
		error = make_view(views, &views->at[views->n++], &g->of[i]);
	}
	return error;
}

int step_views_open(struct step_views *views, const struct export_job *job,
					struct step_subject subject)
{
	struct step_pick picks[STEP_PICKS];
	struct gathering g = {.picks = picks};
	*views = (struct step_views){.subject = subject};
	diag_quiet(true);
	int error = event_names_open(&views->names, subject.summary);
	if (!error)
		error = step_pick(&subject, job, picks, &g.n);
	if (!error && g.n > 0)
		error = gather(views, job, &g);
	diag_quiet(false);
	for (size_t i = 0; i < STEP_PICKS; i++) {
		free(g.of[i].steps);
		free(g.of[i].idle);
		free(g.of[i].nccl);
	}
	if (g.n == 0)
		views->lack = "this run has no steps";
	else if (views->n == 0)
		views->lack = "the events of this run cannot be read, only its summary: give the directory "
					  "of the run";
	return error;
}

void step_views_close(struct step_views *views)
{
	for (size_t i = 0; i < STEP_PICKS; i++)
		step_view_free(&views->at[i]);
	event_names_close(&views->names);
	step_cells_close(&views->cells);
	if (views->opened)
		scene_close(&views->scene);
}
