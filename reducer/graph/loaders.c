/* Loaders leave no rows of when they work. But a thread that sleeps until one batch after another is
 * there tells how fast they come: no cure of something else lets the next one come sooner. */
#include "graph/threads.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LEAST_WAIT_NS = 200000,
	LEAST_WAITS = 3,
	MOST_STEPS = 4, /* from one wait to the next: several workers have their batches at once */
	UNEVEN = 2,
	JOINT_PART = 10 /* of the time awake: waiting for a core beyond a tenth */
};

struct delivery {   /* a batch that was waited for */
	uint32_t point; /* the first one after it */
	int32_t step;
};

/* Did the thread sleep for most of the time? *row: the first one that may reach into it. Without rows
 * of the scheduler, and where the thread loads the batch itself, nothing tells that others work on the
 * next one meanwhile. */
static bool slept_through(const struct host_thread *t, const struct labelled *piece, uint32_t *row)
{
	int64_t slept_ns = 0;
	while (*row < t->n_scheds && t->scheds[*row].slept <= piece->begin)
		++*row;
	for (uint32_t i = *row; i < t->n_scheds && t->scheds[i].begin < piece->end; i++) {
		const struct sched_row *s = &t->scheds[i];
		const int64_t begin = s->begin > piece->begin ? s->begin : piece->begin;
		const int64_t end = s->slept < piece->end ? s->slept : piece->end;
		slept_ns += end > begin ? end - begin : 0;
	}
	return 2 * slept_ns > piece->end - piece->begin;
}

/* The waits for batches that the thread goes on after. Returns how many. */
static uint32_t find_deliveries(const struct process *p, const struct host_thread *t,
								struct delivery *out)
{
	uint32_t n = 0, row = 0;
	for (uint32_t i = 0; i < t->n_pieces; i++) {
		const struct labelled *piece = &t->pieces[i];
		const int64_t point = thread_point(t, piece->end - 1) + 1;
		if (piece->label != LABEL_INPUT || piece->end - piece->begin < LEAST_WAIT_NS || point < 1 ||
			point >= t->n_points || t->points[point - 1].depth > 0)
			continue;
		if (!slept_through(t, piece, &row) || (n && out[n - 1].point == point))
			continue;
		out[n++] = (struct delivery){(uint32_t)point, process_step(p, t->points[point].ns)};
	}
	return n;
}

static int32_t steps_between(const struct delivery *x, const struct delivery *y)
{
	return y->step > x->step ? y->step - x->step : 1;
}

/* The steps between two waits, where these are even enough: a thread that waits now and then waits
 * for something else, a first batch or a slow file. 0: they are not. */
static int32_t steady_steps(const struct delivery *all, uint32_t n)
{
	int32_t least = INT32_MAX, most = 0;
	for (uint32_t i = 1; i < n; i++) {
		const int32_t steps = steps_between(&all[i - 1], &all[i]);
		least = steps < least ? steps : least;
		most = steps > most ? steps : most;
	}
	return n >= LEAST_WAITS && most <= MOST_STEPS && most <= UNEVEN * least ? most : 0;
}

struct link { /* from one delivery to the next: points of the thread */
	uint32_t from, to;
};

/* With cores enough the next batch comes sooner. */
static int link_delivery(const struct process *p, const struct host_thread *t, struct link link,
						 struct model *model)
{
	const int64_t ns = t->points[link.to].ns - t->points[link.from].ns;
	const struct edge edge = {t->first_node + link.from, t->first_node + link.to, ns, t->unit,
							  EDGE_LOADER};
	const int64_t by_label[LABELS] = {[LABEL_INPUT_NO_CORE] = (int64_t)(p->starving * (double)ns)};
	uint32_t number;
	int error = graph_add_edge(&model->graph, &edge, &number);
	return error ? error : thread_note(model, number, by_label);
}

int loaders_link(const struct process *p, const struct host_thread *t, struct model *model)
{
	struct delivery *all = malloc((t->n_pieces + 1) * sizeof(*all));
	const uint32_t n = all ? find_deliveries(p, t, all) : 0;
	const int32_t steps = steady_steps(all, n);
	int error = all ? 0 : -ENOMEM;
	/* the wait before the first one lies before the sample */
	if (steps && all[0].step <= steps)
		error = link_delivery(p, t, (struct link){0, all[0].point}, model);
	for (uint32_t i = 1; !error && steps && i < n; i++)
		error = link_delivery(p, t, (struct link){all[i - 1].point, all[i].point}, model);
	free(all);
	return error;
}

/* Of a child process, in the sample. Rows of a hostile trace are as long as times may be. */
struct child_time {
	__int128 waited, awake, all;
};

/* Thread 0 stands for those whose record the trace lacks: whose they are is not known. */
static bool is_child(const struct process *p, uint32_t thread)
{
	return p->trace.has_process && thread > 0 && thread < p->trace.n_threads &&
		   p->trace.threads[thread].pid != p->trace.process.pid;
}

/* Which part of their time child processes wait for a core, in the mean over what they are awake for:
 * one that does nothing is no loader. Negative: there are no rows of any, or no memory. */
static double starving_children(const struct process *p)
{
	struct child_time *times = calloc(p->trace.n_threads + (size_t)1, sizeof(*times));
	double part = 0, awake = 0;
	for (size_t i = 0; times && i < p->n_scheds; i++) {
		if (!is_child(p, p->sched_threads[i]))
			continue;
		struct child_time *child = &times[p->sched_threads[i]];
		child->waited += p->scheds[i].waited - p->scheds[i].slept;
		child->awake += p->scheds[i].end - p->scheds[i].slept;
		child->all += p->scheds[i].end - p->scheds[i].begin;
	}
	for (uint32_t i = 0; times && i < p->trace.n_threads; i++) {
		const struct child_time *child = &times[i];
		if (child->all)
			part += (double)child->awake * ((double)child->waited / (double)child->all);
		awake += (double)child->awake;
	}
	free(times);
	return awake > 0 ? part / awake : -1;
}

/* Which part of their time loaders have no core. Where they have no rows, as little as the launching
 * threads get of the time that these are awake. */
static double starving_part(struct process *p)
{
	const double children = starving_children(p);
	p->children_known = children >= 0;
	if (p->children_known)
		return children;
	__int128 waited = 0, awake = 0; /* rows of a hostile trace are as long as times may be */
	for (size_t i = 0; i < p->n_scheds; i++) {
		waited += p->scheds[i].waited - p->scheds[i].slept;
		awake += p->scheds[i].end - p->scheds[i].slept;
		if (!thread_called(p, p->sched_threads[i]))
			return 0;
	}
	return waited > awake / JOINT_PART ? (double)waited / (double)awake : 0;
}

void loaders_starve(struct process *p)
{
	p->starving = starving_part(p);
}

void loaders_share(struct host_thread *t, double starving)
{
	int64_t from_ns = t->n_points ? t->points[0].ns : INT64_MAX;
	for (uint32_t i = 0; starving > 0 && i < t->n_pieces; i++) {
		struct labelled *piece = &t->pieces[i];
		if (piece->label != LABEL_INPUT)
			continue;
		const int64_t since_ns = piece->end > from_ns ? piece->end - from_ns : 0;
		const int64_t ns = piece->end - piece->begin;
		piece->joint_ns = (int64_t)(starving * (double)since_ns);
		piece->joint_ns = piece->joint_ns < ns ? piece->joint_ns : ns;
		from_ns = piece->end;
	}
}
