#include "page/timeline_page.h"

#include "base/sort.h"
#include "render/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	EVENTS_MOST = 20000, /* of a step: more would make the page slow to open */
	EVENT_BYTES = 20,    /* about what one takes */
	STEPS_FIRST = 2,     /* the median and the slowest; more are shown where each can have ... */
	STEP_EVENTS = 8000,  /* ... so many events */
	PROCESS_EVENTS = 2000,
	PROCESSES_LEAST = 2,
	ROW_BYTES = VIEW_CELLS + 240,
	OTHER_BYTES = 12000,
	NAME_BYTES = 160 /* longer names are cut */
};

/* ---- how much there is room for ---- */

static size_t names_bytes(const struct strings *pool)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < pool->n; i++) {
		const size_t n = strings_get(pool, i).bytes;
		bytes += (n < NAME_BYTES ? n : NAME_BYTES) + 12;
	}
	return bytes;
}

static size_t fixed_bytes(const struct step_views *views, size_t n)
{
	size_t bytes = OTHER_BYTES;
	for (int i = 0; i < NAMES_KINDS; i++)
		bytes += names_bytes(&views->names.of[i].pool);
	for (size_t i = 0; i < n; i++)
		bytes += views->at[i].n_rows * (size_t)ROW_BYTES;
	return bytes;
}

/* How many events each of `n` steps can have in so many bytes. */
static size_t events_each(const struct step_views *views, size_t bytes, size_t n)
{
	const size_t fixed = fixed_bytes(views, n);
	const size_t events = n > 0 && bytes > fixed ? (bytes - fixed) / EVENT_BYTES / n : 0;
	return events < EVENTS_MOST ? events : EVENTS_MOST;
}

/* How many steps are shown: fewer where that leaves room for the events of a rank or two. */
static size_t steps_shown(const struct step_views *views, size_t bytes)
{
	size_t n = views->n;
	while (n > STEPS_FIRST && events_each(views, bytes, n) < STEP_EVENTS)
		n--;
	if (n == STEPS_FIRST && events_each(views, bytes, n) < PROCESS_EVENTS / 2)
		n--;
	return events_each(views, bytes, n) >= PROCESS_EVENTS / 4 ? n : 0;
}

/* Is it among `shown` ones? Of two the slowest one, which comes second, is wanted most. */
static bool is_shown(const struct step_views *views, size_t i, size_t shown)
{
	return shown == 1 && views->n > 1 ? i == 1 : i < shown;
}

/* Leaves out whole processes where each would have few events, then the shortest events of each. */
static int make_small(struct step_view *view, size_t events, uint32_t *shown)
{
	size_t wanted = events / PROCESS_EVENTS;
	wanted = wanted > PROCESSES_LEAST ? wanted : PROCESSES_LEAST;
	*shown = wanted < view->n_processes ? (uint32_t)wanted : view->n_processes;
	int error = 0;
	for (uint32_t i = 0; i < *shown && !error; i++)
		error = step_view_trim(&view->processes[i], events / *shown);
	return error;
}

/* ---- rows of cells ---- */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
_Static_assert(LEAF_COUNT < sizeof(letters), "a letter for each leaf");

static int64_t less(int64_t ns, int64_t computing)
{
	return ns > computing ? ns - computing : 0;
}

/* What fills most of a cell; NCCL and copies as far as they last longer than the computing beside
 * them. '.': more than half of it has nothing. */
static char cell_letter(const struct step_view *view, const struct view_row *row, size_t cell)
{
	const int64_t *ns = row->cells[cell];
	int64_t computing = 0, all = 0, most = 0;
	int found = -1;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		computing += LEAVES_WORK & LEAF_BIT(leaf) ? ns[leaf] : 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		const int64_t own =
			(LEAVES_NCCL | LEAVES_COPY) & LEAF_BIT(leaf) ? less(ns[leaf], computing) : ns[leaf];
		all += own;
		if (own > most) {
			most = own;
			found = leaf;
		}
	}
	return found < 0 || 2 * (__int128)all < (__int128)row->n * view->cell_ns ? '.' : letters[found];
}

static int32_t rank_of(const struct step_views *views, uint32_t device)
{
	return views->scene.run.processes[views->scene.run.devices[device].processes[0]].rank;
}

static void put_device(struct json *j, const struct step_views *views, uint32_t device)
{
	const struct run *run = &views->scene.run;
	json_text(j, "device", strings_get(&run->pool, run->devices[device].key).at);
	json_known(j, "rank", rank_of(views, device));
}

static void put_row(struct json *j, const struct step_views *views, const struct step_view *view,
					const struct view_row *row)
{
	char cells[VIEW_CELLS + 1] = "";
	for (size_t i = 0; i < VIEW_CELLS; i++)
		cells[i] = cell_letter(view, row, i);
	const struct view_device *longest = &view->devices[row->longest];
	json_object(j, NULL);
	json_number(j, "n", row->n);
	json_known(j, "from_rank", rank_of(views, view->order[row->from]));
	json_known(j, "to_rank", rank_of(views, view->order[row->from + row->n - 1]));
	json_object(j, "longest");
	put_device(j, views, row->longest);
	json_number(j, "from_ns", longest->from_ns);
	json_number(j, "to_ns", longest->to_ns);
	json_end_object(j);
	json_number(j, "window_ns", row->window_ns);
	json_array(j, "idle_ns");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (row->idle_ns[leaf]) {
			json_array(j, NULL);
			json_number(j, NULL, leaf);
			json_number(j, NULL, row->idle_ns[leaf]);
			json_end_array(j);
		}
	json_end_array(j);
	json_text(j, "cells", cells);
	json_end_object(j);
}

/* ---- events ---- */

struct call { /* of the host, that launches work */
	uint64_t flow;
	int64_t number; /* of it among the events of the process's threads */
};

static int by_flow(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	return (x->flow > y->flow) - (x->flow < y->flow);
}

enum column { START, DUR, NAME, DEPTH, COLUMNS };

static void put_column(struct json *j, enum column column, const struct view_track *track)
{
	static const char *const names[COLUMNS] = {"start_ns", "dur_ns", "name", "depth"};
	int64_t before = 0;
	json_array(j, names[column]);
	for (size_t i = 0; i < track->n; i++) {
		const struct view_event *e = &track->at[i];
		const int64_t values[COLUMNS] = {e->start_ns - before, e->dur_ns, e->name, e->depth};
		json_number(j, NULL, values[column]);
		before = e->start_ns;
	}
	json_end_array(j);
}

/* Of collectives and copies: which event, bytes, the time until the last member began (null: not
 * known), how many members (0: not known, or no collective), why the wait is not known. */
static void put_more(struct json *j, const struct view_track *track)
{
	json_array(j, "more");
	for (size_t i = 0; i < track->n; i++) {
		const struct view_event *e = &track->at[i];
		if (e->bytes < 0 && !e->nccl)
			continue;
		json_array(j, NULL);
		json_number(j, NULL, (int64_t)i);
		json_known(j, NULL, e->bytes);
		json_known(j, NULL, e->nccl && !e->nccl->unsplit ? e->nccl->wait_ns : -1);
		json_number(j, NULL, e->nccl ? e->nccl->members : 0);
		if (e->nccl && e->nccl->unsplit)
			json_text(j, NULL, e->nccl->unsplit);
		json_end_array(j);
	}
	json_end_array(j);
}

/* Of the work of a stream: which event of the process's threads launched it, as differences. */
static void put_launches(struct json *j, const struct view_track *track, const struct call *calls,
						 size_t n)
{
	int64_t before = 0;
	json_array(j, "launch");
	for (size_t i = 0; i < track->n; i++) {
		const struct call key = {.flow = track->at[i].flow};
		const struct call *call =
			key.flow && n ? bsearch(&key, calls, n, sizeof(key), by_flow) : NULL;
		if (!call) {
			json_null(j, NULL);
			continue;
		}
		json_number(j, NULL, call->number - before);
		before = call->number;
	}
	json_end_array(j);
}

static void put_track(struct json *j, const struct view_track *track, const struct call *calls,
					  size_t n)
{
	json_object(j, NULL);
	json_text(j, "kind",
			  track->kind == TRACK_IDLE     ? "idle"
			  : track->kind == TRACK_STREAM ? "stream"
											: "thread");
	json_text(j, "label", track->name);
	json_number(j, "left_out", (int64_t)track->left);
	json_number(j, "left_out_ns", track->left_ns);
	for (int column = START; column < COLUMNS; column++)
		put_column(j, (enum column)column, track);
	if (track->kind == TRACK_STREAM)
		put_launches(j, track, calls, n);
	put_more(j, track);
	json_end_object(j);
}

/* The calls of a process that launch its work, as the page numbers them. *n; NULL: no memory. */
static struct call *calls_of(const struct view_process *process, size_t *n)
{
	struct call *calls = malloc((process->n_events + 1) * sizeof(*calls));
	int64_t number = 0;
	*n = 0;
	for (size_t i = 0; calls && i < process->n_tracks; i++) {
		const struct view_track *track = &process->tracks[i];
		for (size_t k = 0; track->kind == TRACK_THREAD && k < track->n; k++, number++)
			if (track->at[k].flow)
				calls[(*n)++] = (struct call){track->at[k].flow, number};
	}
	if (calls)
		sort_rows(calls, *n, sizeof(*calls), by_flow);
	return calls;
}

static int put_process(struct json *j, const struct view_process *process)
{
	size_t n;
	struct call *calls = calls_of(process, &n);
	if (!calls)
		return -ENOMEM;
	json_object(j, NULL);
	json_known(j, "rank", process->rank);
	json_number(j, "pid", process->pid);
	json_text(j, "host", process->host);
	json_text(j, "why", process->why);
	json_array(j, "tracks");
	for (int kind = TRACK_IDLE; kind <= TRACK_THREAD; kind++)
		for (size_t i = 0; i < process->n_tracks; i++)
			if (process->tracks[i].kind == (enum walk_track_kind)kind &&
				process->tracks[i].n + process->tracks[i].left > 0)
				put_track(j, &process->tracks[i], calls, n);
	json_end_array(j);
	json_end_object(j);
	free(calls);
	return 0;
}

/* Which step it is and why it is here. */
static void put_why(struct json *j, const struct step_view *view)
{
	json_text(j, "why", view->why);
	json_number(j, "number", view->number);
	json_array(j, "findings");
	for (int i = 0; i < 64; i++)
		if (view->findings >> i & 1)
			json_number(j, NULL, i);
	json_end_array(j);
}

static int put_step(struct json *j, const struct step_views *views, struct step_view *view,
					size_t events)
{
	uint32_t shown;
	int error = make_small(view, events, &shown);
	json_object(j, NULL);
	put_why(j, view);
	json_number(j, "span_ns", view->to_ns);
	json_number(j, "cell_ns", view->cell_ns);
	json_number(j, "crowded", (int64_t)view->crowded);
	json_array(j, "rows");
	for (uint32_t i = 0; i < view->n_rows; i++)
		put_row(j, views, view, &view->rows[i]);
	json_end_array(j);
	json_array(j, "processes");
	for (uint32_t i = 0; i < shown && !error; i++)
		error = put_process(j, &view->processes[i]);
	json_end_array(j);
	json_end_object(j);
	return error;
}

/* ---- names ---- */

static void put_name(struct json *j, const char *key, const char *name)
{
	char cut[NAME_BYTES + 4];
	snprintf(cut, sizeof(cut), "%.*s%s", NAME_BYTES, name, strlen(name) > NAME_BYTES ? "..." : "");
	json_text(j, key, *name ? cut : "(unnamed)");
}

static void put_names(struct json *j, const struct event_names *names)
{
	json_array(j, "leaves");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		json_text(j, NULL, leaf_name((enum leaf)leaf));
	json_end_array(j);
	for (int i = 0; i < NAMES_KINDS; i++) {
		const struct view_names *of = &names->of[i];
		json_array(j, i == NAMES_WORK ? "work" : "host");
		for (uint32_t k = 0; k < of->pool.n; k++)
			put_name(j, NULL, strings_get(&of->pool, k).at);
		json_end_array(j);
	}
	json_array(j, "work_leaf");
	for (uint32_t k = 0; k < names->of[NAMES_WORK].pool.n; k++)
		json_number(j, NULL, k < names->of[NAMES_WORK].room ? names->of[NAMES_WORK].leaf[k] : 0);
	json_end_array(j);
}

static void put_clock(struct json *j, const struct step_views *views)
{
	char words[CLOCK_WORDS];
	json_text(j, "clock", views->opened ? scene_clock_words(&views->scene, words) : "");
}

int timeline_page_write(const void *of, size_t bytes, FILE *out)
{
	struct step_views *views = ((const struct timeline_page *)of)->views;
	struct json json = {.out = out}, *j = &json;
	const size_t shown = steps_shown(views, bytes);
	const size_t events = events_each(views, bytes, shown);
	const bool room = shown > 0 || views->n == 0;
	int error = 0;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.timeline/0");
	if (views->lack || !room)
		json_text(j, "lack",
				  views->lack
					  ? views->lack
					  : "the other numbers of this run fill the page: baton export --format "
						"perfetto --step N writes a step");
	put_names(j, &views->names);
	put_clock(j, views);
	json_array(j, "steps");
	for (size_t i = 0; i < views->n && !error; i++)
		if (is_shown(views, i, shown))
			error = put_step(j, views, &views->at[i], events);
	json_end_array(j);
	json_array(j, "steps_left_out"); /* there was no room for them */
	for (size_t i = 0; room && i < views->n; i++) {
		if (is_shown(views, i, shown))
			continue;
		json_object(j, NULL);
		put_why(j, &views->at[i]);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	return error;
}
