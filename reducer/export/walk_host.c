/* Calls, ranges and overhead of the threads of a process. Spans (NVTX start/end) have lanes of their
 * own beside those of their thread: they need not be nested. */
#include "export/walking.h"

#include "export/together.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *range_category(int64_t category)
{
	static const char *const names[] = {"range",    "nvtx",   "nvtx", "annotation",
										"operator", "python", "mark", "optimizer"};
	return names[category >= 0 && category < 8 ? category : 0];
}

static struct lanes *lanes_of(const struct walking *w, const struct walk_row *row)
{
	const bool span =
		row->table == BATON_RANGE && row->value[RANGE_CATEGORY] == BATON_RANGE_NVTX_SPAN;
	/* the thread is the first column after the times in all three tables */
	const uint32_t thread = idmap_get(&w->trace->thread_ids, (uint64_t)row->value[CALL_THREAD]);
	return &w->lanes[2 * thread + span];
}

static void describe_call(struct walking *w, struct walk_slice *s)
{
	s->kind = WALK_CALL;
	s->category = "cuda api";
	s->name = walking_text(w, s->row->value[CALL_NAME]);
}

static void describe_range(struct walking *w, struct walk_slice *s)
{
	const int64_t category = s->row->value[RANGE_CATEGORY];
	s->kind = WALK_RANGE;
	s->category = range_category(category);
	s->name = walking_text(w, s->row->value[RANGE_NAME]);
	if (category == BATON_RANGE_OPERATOR)
		s->op_number = ++w->op_numbers;
}

static void describe_overhead(struct walking *w, struct walk_slice *s)
{
	s->kind = WALK_OVERHEAD;
	s->category = "overhead";
	s->name = walking_text(w, s->row->value[OVERHEAD_NAME]);
}

/* Of the calls with one correlation the outermost launched the op. */
static struct launch *launch_of(const struct walking *w, const struct walk_row *row)
{
	struct launch *launch =
		row->table == BATON_CALL
			? launches_find(&w->launches, (uint64_t)row->value[CALL_CORRELATION])
			: NULL;
	return launch && !launch->call.track ? launch : NULL;
}

static int put_row(struct walking *w, const struct walk_row *row)
{
	struct walk_slice s = {.row = row, .trace = w->trace, .dur_ns = row->value[ROW_DUR]};
	struct launch *launch = launch_of(w, row);
	s.start_ns = scene_time(w->scene, w->process, row->value[ROW_START]);
	if (row->table == BATON_CALL)
		describe_call(w, &s);
	else if (row->table == BATON_RANGE)
		describe_range(w, &s);
	else
		describe_overhead(w, &s);
	if (launch)
		s.flows[0] = w->launches.first_flow + (uint64_t)(launch - w->launches.at);
	const int error = walking_put(w, lanes_of(w, row), &s);
	if (launch && s.track) {
		launch->call = (struct walk_place){s.track, s.start_ns};
		launch->op_number = s.op_number;
	}
	return error;
}

static void name_threads(struct walking *w)
{
	for (uint32_t i = 0; i < w->trace->n_threads; i++) {
		const struct trace_thread *thread = &w->trace->threads[i];
		for (int span = 0; span < 2; span++) {
			struct walk_track *track = &w->lanes[2 * i + span].of;
			*track = (struct walk_track){.kind = TRACK_THREAD,
										 .process = w->position,
										 .device = -1,
										 .number = thread->tid,
										 .unit = ""};
			if (i == 0)
				snprintf(track->name, sizeof(track->name), "all threads");
			else
				snprintf(track->name, sizeof(track->name), "thread %" PRId64 "%s%s%s", thread->tid,
						 thread->name ? " " : "", strings_get(&w->trace->strings, thread->name).at,
						 span ? " (start/end ranges)" : "");
		}
	}
}

static int put_rows(struct walking *w)
{
	static const unsigned kinds[] = {BATON_CALL, BATON_RANGE, BATON_OVERHEAD};
	struct together t = {.from_ns = w->scene->from_ns[w->process],
						 .to_ns = w->scene->to_ns[w->process]};
	int error = together_open(&t, w->trace, kinds, 3);
	while (!error) {
		error = together_next(&t);
		if (error || t.n == 0)
			break;
		for (size_t i = 0; !error && i < t.n; i++)
			error = put_row(w, &t.at[i].row);
	}
	together_close(&t);
	return error;
}

static int put_syncs(struct walking *w)
{
	static const unsigned kind = BATON_SYNC;
	struct together t = {.from_ns = w->scene->from_ns[w->process],
						 .to_ns = w->scene->to_ns[w->process]};
	int error = together_open(&t, w->trace, &kind, 1);
	while (!error) {
		error = together_next(&t);
		if (error || t.n == 0)
			break;
		for (size_t i = 0; !error && i < t.n; i++)
			error = w->sink->sync(w->sink->of, &t.at[i].row, w->trace);
	}
	together_close(&t);
	return error;
}

int walk_host(struct walking *w)
{
	const size_t n = 2 * (size_t)w->trace->n_threads;
	w->lanes = calloc(n, sizeof(*w->lanes));
	if (!w->lanes)
		return -ENOMEM;
	name_threads(w);
	int error = put_rows(w);
	for (size_t i = 0; i < n; i++) {
		const int closed = lanes_close(&w->lanes[i], w->sink);
		error = error ? error : closed;
	}
	free(w->lanes);
	w->lanes = NULL;
	return error || !w->sink->sync ? error : put_syncs(w);
}
