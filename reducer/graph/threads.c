#include "graph/threads.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/causes.h"
#include "graph/holdings.h"
#include "graph/labels.h"
#include "graph/sleeps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_THREADS = 4096, /* of a process that is replayed */
	MOST_STREAMS = 8192  /* of it: each call that waits may wait for each of them */
};

/* ---- points ---- */

struct open_calls { /* a heap: the one that ends first is on top, of several the one begun last */
	uint32_t *at;
	uint32_t n;
};

static bool ends_before(const struct host_thread *t, uint32_t a, uint32_t b)
{
	const int64_t x = t->calls[a].end, y = t->calls[b].end;
	return x < y || (x == y && a > b);
}

static void push_call(const struct host_thread *t, struct open_calls *open, uint32_t call)
{
	uint32_t i = open->n++;
	for (; i > 0 && ends_before(t, call, open->at[(i - 1) / 2]); i = (i - 1) / 2)
		open->at[i] = open->at[(i - 1) / 2];
	open->at[i] = call;
}

static uint32_t pop_call(const struct host_thread *t, struct open_calls *open)
{
	const uint32_t top = open->at[0], last = open->at[--open->n];
	uint32_t i = 0;
	for (uint32_t child; (child = 2 * i + 1) < open->n; i = child) {
		if (child + 1 < open->n && ends_before(t, open->at[child + 1], open->at[child]))
			child++;
		if (!ends_before(t, open->at[child], last))
			break;
		open->at[i] = open->at[child];
	}
	open->at[i] = last;
	return top;
}

static void add_point(struct host_thread *t, uint32_t call, const struct open_calls *open,
					  bool begins)
{
	t->points[t->n_points++] =
		(struct point){begins ? t->calls[call].begin : t->calls[call].end, call,
					   (uint16_t)(open->n < UINT16_MAX ? open->n : UINT16_MAX), begins};
}

static void close_until(struct host_thread *t, struct open_calls *open, int64_t ns)
{
	while (open->n && t->calls[open->at[0]].end <= ns) {
		const uint32_t call = pop_call(t, open);
		add_point(t, call, open, false);
	}
}

static int make_points(struct host_thread *t)
{
	struct open_calls open = {malloc((t->n_calls + 1) * sizeof(*open.at)), 0};
	t->points = malloc(2 * (size_t)t->n_calls * sizeof(*t->points));
	t->chain = malloc(2 * (size_t)t->n_calls * sizeof(*t->chain));
	if (!open.at || !t->points || !t->chain) {
		free(open.at);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < t->n_calls; i++) {
		close_until(t, &open, t->calls[i].begin);
		push_call(t, &open, i); /* calls may end after the one that they are in */
		add_point(t, i, &open, true);
	}
	close_until(t, &open, INT64_MAX);
	free(open.at);
	memset(t->chain, 0xff, 2 * (size_t)t->n_calls * sizeof(*t->chain));
	return 0;
}

static int add_nodes(struct host_thread *t, struct graph *graph)
{
	int64_t *ns = malloc(t->n_points * sizeof(*ns));
	if (!ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_points; i++)
		ns[i] = t->points[i].ns;
	int error = graph_add_nodes(graph, ns, t->n_points, &t->first_node);
	free(ns);
	for (uint32_t i = 0; !error && i < t->n_points; i++) {
		struct host_call *call = &t->calls[t->points[i].call];
		if (t->points[i].begins)
			call->begin_node = t->first_node + i;
		else
			call->end_node = t->first_node + i;
	}
	return error;
}

int64_t thread_point(const struct host_thread *t, int64_t ns)
{
	uint32_t low = 0, high = t->n_points;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (t->points[middle].ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low - 1;
}

/* ---- threads ---- */

/* 0 where the trace does not have the thread's record. */
static uint32_t tid_of(const struct process *p, const struct host_thread *t)
{
	return t->index ? p->trace.threads[t->index].tid : 0;
}

static int count_threads(struct process *p)
{
	uint32_t most = 0, n = 0;
	for (size_t i = 0; i < p->n_calls; i++)
		most += i == 0 || p->calls[i].thread != p->calls[i - 1].thread;
	if (most > MOST_THREADS)
		return -E2BIG;
	p->threads = calloc(most + 1, sizeof(*p->threads));
	if (!p->threads)
		return -ENOMEM;
	p->n_threads = most;
	for (size_t i = 0; i < p->n_calls; i++) {
		if (i == 0 || p->calls[i].thread != p->calls[i - 1].thread)
			p->threads[n++] =
				(struct host_thread){.index = p->calls[i].thread, .calls = &p->calls[i]};
		p->threads[n - 1].n_calls++;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			p->threads[i].number += tid_of(p, &p->threads[k]) < tid_of(p, &p->threads[i]);
	return 0;
}

static int by_sched_begin(const void *a, const void *b)
{
	const struct sched_row *x = a, *y = b;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

struct host_thread *thread_called(const struct process *p, uint32_t index)
{
	uint32_t low = 0, high = p->n_threads;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (p->threads[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n_threads && p->threads[low].index == index ? &p->threads[low] : NULL;
}

static int take_scheds(struct process *p)
{
	struct host_thread *t;
	for (size_t i = 0; i < p->n_scheds; i++)
		if ((t = thread_called(p, p->sched_threads[i])))
			t->n_scheds++;
	for (uint32_t k = 0; k < p->n_threads; k++) {
		t = &p->threads[k];
		t->scheds = malloc((t->n_scheds + (size_t)1) * sizeof(*t->scheds));
		if (!t->scheds)
			return -ENOMEM;
		t->n_scheds = 0;
	}
	for (size_t i = 0; i < p->n_scheds; i++)
		if ((t = thread_called(p, p->sched_threads[i])))
			t->scheds[t->n_scheds++] = p->scheds[i];
	return 0;
}

static void sort_scheds(struct host_thread *t)
{
	sort_rows(t->scheds, t->n_scheds, sizeof(*t->scheds), by_sched_begin);
	for (uint32_t i = 0, last = 0; i < t->n_scheds; i++) {
		last = t->scheds[i].slept > t->scheds[i].begin ? i + 1 : last;
		t->scheds[i].slept_last = last;
	}
}

/* The device that gets four fifths of the launches; with one device it has all threads.
 * `launches`: a zero for each unit, and so it is left. */
static uint16_t find_unit(const struct process *p, const struct host_thread *t, uint32_t *launches)
{
	uint32_t all = 0, best_n = 0;
	uint16_t best = UNIT_NONE;
	bool one = true;
	for (uint32_t i = 0; i < t->n_calls; i++)
		if (t->calls[i].first_op != NO_INDEX) {
			launches[p->ops[t->calls[i].first_op].unit]++;
			all++;
		}
	for (uint32_t s = 1; s < p->n_streams; s++) {
		const uint16_t unit = p->streams[s].unit;
		if (p->streams[s].n_ops && launches[unit] >= best_n) {
			best = unit;
			best_n = launches[unit];
		}
	}
	for (uint32_t s = 1; s < p->n_streams; s++)
		one &= p->streams[s].n_ops == 0 || p->streams[s].unit == best;
	for (uint32_t i = 0; i < t->n_calls; i++)
		if (t->calls[i].first_op != NO_INDEX)
			launches[p->ops[t->calls[i].first_op].unit] = 0;
	return one || (all && best_n >= all - all / 5) ? best : UNIT_NONE;
}

static bool is_aside(const struct process *p, const struct host_thread *t)
{
	bool copies = false, other = false;
	for (uint32_t i = 0; i < t->n_calls && !other; i++) {
		const bool launches = t->calls[i].first_op != NO_INDEX;
		const bool aside = launches && p->streams[p->ops[t->calls[i].first_op].stream].aside;
		copies |= aside;
		other = launches && !aside;
	}
	return copies && !other;
}

int threads_open(struct process *p, struct model *model)
{
	uint32_t *launches = calloc(UINT16_MAX + 1, sizeof(*launches));
	int error = !launches ? -ENOMEM : p->n_streams > MOST_STREAMS ? -E2BIG : count_threads(p);
	if (error) {
		free(launches);
		return error;
	}
	loaders_starve(p);
	model->loaders_known |= p->children_known;
	error = holdings_find(p);
	error = error ? error : take_scheds(p);
	size_t left = labels_begin(p);
	for (uint32_t i = 0; !error && i < p->n_threads; i++) {
		struct host_thread *t = &p->threads[i];
		sort_scheds(t);
		sleeps_place(p, t);
		error = make_points(t);
		error = error ? error : add_nodes(t, &model->graph);
		error = error ? error : labels_find(p, t, &left);
		if (!error)
			loaders_share(t, p->starving);
		t->unit = find_unit(p, t, launches);
		t->aside = is_aside(p, t);
	}
	free(launches);
	return error;
}

/* ---- edges ---- */

static int link_points(struct host_thread *t, uint32_t i, struct model *model)
{
	const struct point *from = &t->points[i], *to = from + 1;
	int64_t by_label[LABELS];
	struct edge edge = {t->first_node + i, t->first_node + i + 1, to->ns - from->ns, t->unit,
						from->depth ? EDGE_CALL : EDGE_OUTSIDE};
	int error = graph_add_edge(&model->graph, &edge, &t->chain[i]);
	if (error)
		return error;
	if (!to->begins)
		t->calls[to->call].chain = t->chain[i];
	if (to->ns == from->ns)
		return 0;
	thread_labels(t, from->ns, to->ns, by_label);
	if (from->depth && !(t->calls[from->call].bundles && from->begins))
		thread_take_sleep(by_label); /* asleep in a call: its own */
	return thread_note(model, t->chain[i], by_label);
}

int threads_link(struct process *p, struct model *model)
{
	int error = 0;
	for (uint32_t k = 0; !error && k < p->n_threads; k++)
		error = hand_offs_find(p, &p->threads[k], model);
	for (uint32_t k = 0; !error && k < p->n_threads; k++) {
		struct host_thread *t = &p->threads[k];
		error = hand_offs_link(t, model);
		error = error ? error : hand_offs_lead(p, t, model);
		for (uint32_t i = 0; !error && i + 1 < t->n_points; i++)
			if (t->chain[i] == EDGE_NONE)
				error = link_points(t, i, model);
		error = error ? error : loaders_link(p, t, model);
	}
	return error;
}

static uint64_t place_key(struct process *p, const struct host_thread *t, uint32_t i)
{
	const struct host_call *call = &t->calls[t->points[i + 1].call];
	const uint32_t name = call->first_op != NO_INDEX ? p->ops[call->first_op].name : call->name;
	uint64_t key = hash_mix(1, t->number);
	key = hash_mix(key, process_name_hash(p, name));
	return hash_mix(key, t->points[i + 1].begins);
}

/* Where a divided bundle begins and ends as on other devices it is compared. In between is host
 * code so long that it is a loss of its own: no other device has that. */
static bool has_row(const struct host_thread *t, uint32_t i, struct position *row)
{
	const struct point *to = &t->points[i + 1];
	const uint8_t place = t->calls[to->call].place;
	row->divided = place == PLACE_BEGIN && !to->begins;
	if (place != PLACE_NONE)
		return true;
	row->key = row->place = hash_mix(hash_mix(row->key, t->unit), (uint64_t)to->ns);
	return to->begins && to->ns - t->points[i].ns >= CAUSE_CODE_NS;
}

int threads_compare(struct process *p, struct model *model)
{
	for (uint32_t k = 0; k < p->n_threads; k++) {
		struct host_thread *t = &p->threads[k];
		for (uint32_t i = 0; i + 1 < t->n_points; i++) {
			if (t->chain[i] == EDGE_NONE || t->unit == UNIT_NONE)
				continue;
			struct position row = {
				.place = place_key(p, t, i), .edge = t->chain[i], .unit = t->unit};
			row.key = hash_mix(row.place, (uint64_t)(uint32_t)process_step(p, t->points[i].ns));
			if (!has_row(t, i, &row))
				continue;
			struct position *position = MODEL_ADD(model, host);
			if (!position)
				return -ENOMEM;
			*position = row;
		}
	}
	return 0;
}
