#include "export/walk.h"

#include "export/walking.h"

#include "base/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int walking_put(struct walking *w, struct lanes *lanes, struct walk_slice *slice)
{
	const int error = lanes_put(lanes, w->sink, slice, &w->next_track);
	w->crowded += error > 0;
	return error < 0 ? error : 0;
}

static int begin_process(struct walking *w)
{
	const struct run_process *of = &w->scene->run.processes[w->process];
	const struct walk_process process = {.place = w->process,
										 .position = w->position,
										 .rank = of->rank,
										 .pid = of->pid,
										 .host = strings_get(&w->scene->run.pool, of->host).at,
										 .trace = w->trace};
	return w->sink->process ? w->sink->process(w->sink->of, &process) : 0;
}

static int walk_rows(struct walking *w)
{
	const struct scene *scene = w->scene;
	int error =
		launches_read(&w->launches, w->trace, scene->from_ns[w->process], scene->to_ns[w->process]);
	w->launches.first_flow = w->next_launch_flow;
	w->next_launch_flow += w->launches.n;
	if (!error)
		error = walk_host(w);
	if (!error)
		error = walk_ops(w);
	if (!error)
		error = walk_devices(w);
	if (!error && w->sink->process_end)
		error = w->sink->process_end(w->sink->of);
	return error;
}

static int walk_process(struct walking *w)
{
	struct trace trace;
	int error =
		run_process_open(&w->scene->run.processes[w->process], &trace, w->scene->run.damage);
	if (error)
		return error;
	w->trace = &trace;
	w->op_numbers = 0;
	w->n_queue = 0;
	error = begin_process(w);
	if (!error)
		error = walk_rows(w);
	launches_free(&w->launches);
	trace_close(&trace);
	return error;
}

/* Where the rows of each device begin. 0 or -ENOMEM. */
static int find_firsts(struct walking *w)
{
	const struct scene *scene = w->scene;
	const size_t n = scene->run.n_devices + 1;
	w->first_step = malloc(n * sizeof(*w->first_step));
	w->first_idle = malloc(n * sizeof(*w->first_idle));
	if (!w->first_step || !w->first_idle)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		w->first_step[i] = scene->n_steps;
		w->first_idle[i] = scene->n_idle;
	}
	for (size_t i = scene->n_steps; i-- > 0;)
		w->first_step[scene->steps[i].device] = i;
	for (size_t i = scene->n_idle; i-- > 0;)
		w->first_idle[scene->idle[i].device] = i;
	return 0;
}

int walk(const struct scene *scene, const struct walk_sink *sink, uint64_t *crowded)
{
	struct walking w = {
		.scene = scene, .sink = sink, .next_track = 1, .next_launch_flow = 1, .next_flow = 1};
	int error = find_firsts(&w);
	if (!error && sink->sends)
		error = peers_find(scene, &w.peers);
	progress_begin("export", NULL, run_bytes(&scene->run));
	for (size_t i = 0; !error && i < scene->run.n_processes; i++) {
		w.process = scene->order[i];
		w.position = (uint32_t)i;
		if (scene->from_ns[w.process] >= scene->to_ns[w.process])
			continue;
		error = walk_process(&w);
	}
	progress_end();
	*crowded = w.crowded;
	peers_free(&w.peers);
	free(w.meetings);
	table_free(&w.meeting_ids);
	free(w.queue);
	free(w.first_step);
	free(w.first_idle);
	return error;
}
