#include "page/step_walk.h"

#include "base/room.h"
#include "classify/classes.h"
#include "export/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static enum leaf leaf_of_group(uint32_t group)
{
	static const enum leaf leaves[GROUP_COUNT] = {[GROUP_MATMUL] = LEAF_WORK_MATMUL,
												  [GROUP_MEMORY] = LEAF_WORK_MEMORY,
												  [GROUP_CUSTOM] = LEAF_WORK_CUSTOM,
												  [GROUP_NCCL] = LEAF_NCCL_UNSPLIT,
												  [GROUP_OTHER] = LEAF_WORK_OTHER};
	return group < GROUP_COUNT ? leaves[group] : LEAF_WORK_OTHER;
}

int event_names_open(struct event_names *names, const struct summary *summary)
{
	*names = (struct event_names){.summary = summary};
	int error = 0;
	for (int i = 0; !error && i < NAMES_KINDS; i++)
		error = strings_init(&names->of[i].pool);
	names->group_leaf = malloc(summary->pool.n + 1);
	if (error || !names->group_leaf)
		return -ENOMEM;
	memset(names->group_leaf, LEAF_COUNT, summary->pool.n + 1);
	for (size_t i = 0; i < summary->n_kernels; i++)
		names->group_leaf[summary->kernels[i].name] =
			(uint8_t)leaf_of_group(summary->kernels[i].group);
	return 0;
}

void event_names_close(struct event_names *names)
{
	for (int i = 0; i < NAMES_KINDS; i++) {
		strings_free(&names->of[i].pool);
		free(names->of[i].leaf);
	}
	free(names->group_leaf);
}

static enum leaf leaf_of(const struct event_names *names, const struct walk_slice *s)
{
	const int64_t kind = s->row->value[OP_KIND];
	uint32_t id;
	if (kind == BATON_MEMCPY)
		return s->row->value[OP_COPY_DIR] == BATON_COPY_DTOD ? LEAF_WORK_MEMORY : LEAF_COPY_EXPOSED;
	if (kind == BATON_MEMSET)
		return LEAF_WORK_MEMORY;
	if (kind == BATON_GRAPH)
		return LEAF_WORK_GRAPH;
	if (strings_find(&names->summary->pool, s->name, strlen(s->name), &id) &&
		names->group_leaf[id] < LEAF_COUNT)
		return (enum leaf)names->group_leaf[id];
	return LEAF_WORK_OTHER;
}

static int name_of(struct event_names *names, const struct walk_slice *s, uint32_t *id)
{
	struct view_names *of = &names->of[s->kind == WALK_OP ? NAMES_WORK : NAMES_HOST];
	int is_new;
	int error = strings_add(&of->pool, s->name, strlen(s->name), id, &is_new);
	if (!error && (is_new || *id == 0) && s->kind == WALK_OP) {
		error = room_reach((void **)&of->leaf, &of->room, *id, 1);
		if (!error)
			of->leaf[*id] = (uint8_t)leaf_of(names, s);
	}
	return error;
}

/* ---- the walk ---- */

struct placed {      /* a track of the walk */
	uint32_t device; /* of a stream: index in the run; UINT32_MAX: none */
	size_t track;    /* in the view's process, when it is shown */
	bool shown;
	uint32_t n_open;
	int64_t ends[VIEW_DEPTH];
};

struct step_walking {
	struct scene *scene;
	struct step_view *view;
	struct event_names *names;
	const struct trace *trace;
	uint32_t process;          /* index in the run */
	struct view_process *into; /* NULL: of this process only the cells are shown */
	struct placed *tracks;     /* by their ids */
	size_t room;
};

static int take_process(void *of, const struct walk_process *process)
{
	struct step_walking *w = of;
	w->trace = process->trace;
	w->process = process->place;
	w->into = NULL;
	for (uint32_t i = 0; i < w->view->n_processes; i++)
		if (w->view->processes[i].process == process->place)
			w->into = &w->view->processes[i];
	return 0;
}

static uint32_t device_of(struct step_walking *w, int32_t ordinal)
{
	char key[512];
	for (uint32_t d = 1; d < w->trace->n_devices; d++)
		if (w->trace->devices[d].ordinal == ordinal) {
			run_device_key(w->trace, d, key, sizeof(key));
			return scene_device(&w->scene->run, key, &w->scene->last_device);
		}
	return UINT32_MAX;
}

static int take_track(void *of, const struct walk_track *track)
{
	struct step_walking *w = of;
	int error = room_reach((void **)&w->tracks, &w->room, track->id, sizeof(*w->tracks));
	if (error || (track->kind != TRACK_STREAM && track->kind != TRACK_THREAD))
		return error;
	struct placed *placed = &w->tracks[track->id];
	placed->device = track->kind == TRACK_STREAM ? device_of(w, track->device) : UINT32_MAX;
	if (!w->into)
		return 0;
	error = room_next((void **)&w->into->tracks, w->into->n_tracks, sizeof(*w->into->tracks));
	if (error)
		return error;
	struct view_track *into = &w->into->tracks[w->into->n_tracks];
	*into = (struct view_track){.kind = track->kind};
	memcpy(into->name, track->name, sizeof(into->name));
	placed->shown = true;
	placed->track = w->into->n_tracks++;
	return 0;
}

/* How many of the track's open events are around one that begins now. */
static uint32_t depth_of(struct placed *placed, int64_t start_ns, int64_t end_ns)
{
	while (placed->n_open > 0 && placed->ends[placed->n_open - 1] <= start_ns)
		placed->n_open--;
	const uint32_t depth = placed->n_open;
	if (depth < VIEW_DEPTH)
		placed->ends[placed->n_open++] = end_ns;
	return depth;
}

int view_nccl_order(const void *a, const void *b)
{
	const struct view_nccl *x = a, *y = b;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->dur_ns > y->dur_ns) - (x->dur_ns < y->dur_ns);
}

static const struct view_nccl *nccl_of(const struct step_walking *w, const struct placed *placed,
									   const struct walk_slice *s)
{
	const struct view_nccl key = {.process = w->process,
								  .device = placed->device,
								  .start_ns = s->row->value[ROW_START],
								  .dur_ns = s->dur_ns};
	return w->view->n_nccl
			   ? bsearch(&key, w->view->nccl, w->view->n_nccl, sizeof(key), view_nccl_order)
			   : NULL;
}

/* NCCL's time in the cells, waiting and transfer apart where that is known. */
static void fill_work(struct step_walking *w, uint32_t device, const struct view_event *event)
{
	enum leaf leaf = (enum leaf)w->names->of[NAMES_WORK].leaf[event->name];
	int64_t from = event->start_ns;
	if (event->nccl && !event->nccl->unsplit) {
		step_view_fill(w->view, device, LEAF_NCCL_WAIT, from, from + event->nccl->wait_ns);
		from += event->nccl->wait_ns;
		leaf = LEAF_NCCL_TRANSFER;
	}
	step_view_fill(w->view, device, leaf, from, event->start_ns + event->dur_ns);
}

static int64_t bytes_of(const struct walk_slice *s)
{
	if (s->coll)
		return s->coll->present >> COLL_BYTES & 1 ? s->coll->value[COLL_BYTES] : -1;
	return s->kind == WALK_OP && s->row->value[OP_KIND] == BATON_MEMCPY &&
				   s->row->present >> OP_BYTES & 1
			   ? s->row->value[OP_BYTES]
			   : -1;
}

static int take_slice(void *of, const struct walk_slice *s)
{
	struct step_walking *w = of;
	struct placed *placed = &w->tracks[s->track];
	struct view_event event = {.start_ns = s->start_ns - w->view->origin_ns, .dur_ns = s->dur_ns};
	int error = 0;
	if (s->kind == WALK_STEP || s->kind == WALK_IDLE)
		return 0;
	if (s->kind == WALK_OP || placed->shown)
		error = name_of(w->names, s, &event.name);
	if (!error && s->kind == WALK_OP && placed->device != UINT32_MAX) {
		if (w->names->of[NAMES_WORK].leaf[event.name] == LEAF_NCCL_UNSPLIT)
			event.nccl = nccl_of(w, placed, s);
		fill_work(w, placed->device, &event);
	}
	if (error || !placed->shown)
		return error;
	event.flow = s->flows[0];
	event.bytes = bytes_of(s);
	event.depth = depth_of(placed, event.start_ns, event.start_ns + event.dur_ns);
	return step_view_add(w->into, placed->track, &event);
}

int step_walk(struct scene *scene, struct step_view *view, struct event_names *names)
{
	struct step_walking w = {.scene = scene, .view = view, .names = names};
	const struct walk_sink sink = {
		.of = &w, .process = take_process, .track = take_track, .begin = take_slice};
	const int error = walk(scene, &sink, &view->crowded);
	free(w.tracks);
	return error;
}
