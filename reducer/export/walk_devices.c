/* What belongs to a device rather than to one of its streams: steps, idle time, its queue and the
 * gauges. It goes with the device's first process that is shown. */
#include "export/walk.h"
#include "export/walking.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "read/rows.h"
#include "summary/leaf.h"
#include "summary/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_first(const struct walking *w, const struct run_device *device)
{
	uint32_t i = 0;
	while (i < device->n_processes &&
		   w->scene->from_ns[device->processes[i]] >= w->scene->to_ns[device->processes[i]])
		i++;
	return i < device->n_processes && device->processes[i] == w->process;
}

/* The ordinal of a device of the run in this process; -1: it is none of its. */
static int32_t ordinal_of(const struct walking *w, const char *wanted)
{
	char key[512];
	for (uint32_t d = 1; d < w->trace->n_devices; d++) {
		run_device_key(w->trace, d, key, sizeof(key));
		if (strcmp(key, wanted) == 0)
			return w->trace->devices[d].ordinal;
	}
	return -1;
}

static struct walk_track track_of(const struct walking *w, enum walk_track_kind kind,
								  int32_t ordinal, const char *what)
{
	struct walk_track track = {.kind = kind, .process = w->position, .device = ordinal, .unit = ""};
	snprintf(track.name, sizeof(track.name), "GPU %d %s", ordinal, what);
	return track;
}

static int put_steps(struct walking *w, uint32_t device, int32_t ordinal)
{
	struct lanes lanes = {.of = track_of(w, TRACK_STEPS, ordinal, "steps")};
	int error = 0;
	for (size_t i = w->first_step[device]; !error && i < w->scene->n_steps; i++) {
		const struct scene_step *step = &w->scene->steps[i];
		char name[32];
		if (step->device != device)
			break;
		if (step->begin_ns < w->scene->from_ns[w->process] ||
			step->begin_ns >= w->scene->to_ns[w->process])
			continue;
		snprintf(name, sizeof(name), "step %" PRId64, step->number);
		struct walk_slice s = {.kind = WALK_STEP,
							   .name = name,
							   .category = "step",
							   .trace = w->trace,
							   .number = step->number};
		s.start_ns = scene_time(w->scene, w->process, step->window_from);
		s.dur_ns = saturate_sub(step->window_to, step->window_from);
		error = walking_put(w, &lanes, &s);
	}
	const int closed = lanes_close(&lanes, w->sink);
	return error ? error : closed;
}

static int put_idle(struct walking *w, uint32_t device, int32_t ordinal)
{
	struct lanes lanes = {.of = track_of(w, TRACK_IDLE, ordinal, "idle time")};
	int error = 0;
	for (size_t i = w->first_idle[device]; !error && i < w->scene->n_idle; i++) {
		const struct scene_idle *idle = &w->scene->idle[i];
		if (idle->device != device)
			break;
		struct walk_slice s = {.kind = WALK_IDLE,
							   .name = leaf_name(idle->leaf),
							   .category = "idle",
							   .trace = w->trace};
		s.start_ns = scene_time(w->scene, w->process, idle->from_ns);
		s.dur_ns = saturate_sub(idle->to_ns, idle->from_ns);
		error = walking_put(w, &lanes, &s);
	}
	const int closed = lanes_close(&lanes, w->sink);
	return error ? error : closed;
}

/* ---- counters ---- */

static int new_counter(struct walking *w, int32_t ordinal, const char *what, uint32_t *id)
{
	struct walk_track track = track_of(w, TRACK_COUNTER, ordinal, what);
	*id = track.id = w->next_track++;
	return w->sink->track ? w->sink->track(w->sink->of, &track) : 0;
}

struct running { /* the idle share of a step up to a moment */
	uint32_t track;
	int64_t from_ns, idle_ns; /* the step's begin; idle since */
	int64_t percent;          /* as it was put last */
};

static int put_running(struct walking *w, struct running *r, int64_t ns)
{
	const int64_t passed_ns = saturate_sub(ns, r->from_ns);
	const int64_t percent =
		passed_ns > 0 ? (int64_t)(100.0 * (double)r->idle_ns / (double)passed_ns + 0.5) : 0;
	if (percent == r->percent)
		return 0;
	r->percent = percent;
	return w->sink->counter(w->sink->of, r->track, scene_time(w->scene, w->process, ns), percent);
}

/* Of one step, whose idle time begins at *next: a value where idle time begins and where it ends. */
static int put_step_running(struct walking *w, struct running *r, const struct scene_step *step,
							size_t *next)
{
	const struct scene_idle *idle = w->scene->idle;
	const size_t n = w->scene->n_idle;
	int64_t end_ns = INT64_MIN;
	size_t i = *next;
	r->from_ns = step->window_from;
	r->idle_ns = 0;
	int error = put_running(w, r, step->window_from);
	for (; !error && i < n && idle[i].device == step->device; i++) {
		if (idle[i].from_ns >= step->window_to)
			break;
		if (idle[i].from_ns < step->window_from || idle[i].from_ns == idle[i].to_ns)
			continue; /* of a step that is not shown; empty */
		if (end_ns != INT64_MIN && idle[i].from_ns != end_ns)
			error = put_running(w, r, end_ns);
		if (!error && idle[i].from_ns != end_ns)
			error = put_running(w, r, idle[i].from_ns);
		r->idle_ns = saturate_add(r->idle_ns, saturate_sub(idle[i].to_ns, idle[i].from_ns));
		end_ns = idle[i].to_ns;
	}
	if (!error && end_ns != INT64_MIN)
		error = put_running(w, r, end_ns);
	*next = i;
	return error;
}

static int put_running_idle(struct walking *w, uint32_t device, int32_t ordinal)
{
	struct running r = {.percent = -1};
	size_t next = w->first_idle[device];
	int error = 0;
	for (size_t i = w->first_step[device]; !error && i < w->scene->n_steps; i++) {
		const struct scene_step *step = &w->scene->steps[i];
		if (step->device != device)
			break;
		if (step->begin_ns < w->scene->from_ns[w->process] ||
			step->begin_ns >= w->scene->to_ns[w->process])
			continue;
		if (!r.track)
			error = new_counter(w, ordinal, "running idle %", &r.track);
		if (!error)
			error = put_step_running(w, &r, step, &next);
	}
	return error;
}

static int by_device_and_time(const void *a, const void *b)
{
	const struct queue_change *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* One value for each moment. */
static int put_queue(struct walking *w)
{
	uint32_t track = 0;
	int64_t depth = 0;
	int error = 0;
	sort_rows(w->queue, w->n_queue, sizeof(*w->queue), by_device_and_time);
	for (size_t i = 0; !error && i < w->n_queue; i++) {
		const struct queue_change *change = &w->queue[i], *next = change + 1;
		const bool last = i + 1 == w->n_queue || next->device != change->device;
		if (!track)
			error =
				new_counter(w, w->trace->devices[change->device].ordinal, "queue depth", &track);
		depth += change->by;
		if (!error && (last || next->ns != change->ns))
			error = w->sink->counter(w->sink->of, track, change->ns, depth);
		if (last) {
			track = 0;
			depth = 0;
		}
	}
	return error;
}

struct gauge_tracks {
	uint32_t device; /* index in the file of gauges */
	int32_t ordinal; /* in the process */
	uint32_t track[BATON_GAUGE_END];
};

static int put_gauge(struct walking *w, const struct rows *rows, const struct trace *trace,
					 struct gauge_tracks *tracks)
{
	const int64_t start = rows_value(rows, ROW_START), gauge = rows_value(rows, GAUGE_WHICH);
	const char *name = reading_gauge_name(gauge);
	int error = 0;
	if (!name || start < w->scene->from_ns[w->process] || start >= w->scene->to_ns[w->process] ||
		idmap_get(&trace->device_ids, (uint64_t)rows_value(rows, GAUGE_DEVICE)) != tracks->device)
		return 0;
	if (!tracks->track[gauge])
		error = new_counter(w, tracks->ordinal, name, &tracks->track[gauge]);
	return error ? error
				 : w->sink->counter(w->sink->of, tracks->track[gauge],
									scene_time(w->scene, w->process, start),
									rows_value(rows, GAUGE_VALUE));
}

/* A file that can no longer be read gives no readings. */
static int put_gauges(struct walking *w, const struct run_device *device, int32_t ordinal)
{
	const char *wanted = strings_get(&w->scene->run.pool, device->key).at;
	struct gauge_tracks tracks = {.ordinal = ordinal};
	struct trace trace;
	struct rows rows;
	char key[512];
	if (!device->gauges ||
		trace_open(&trace, w->scene->run.gauges[device->gauges - 1].path, NULL) != 0)
		return 0;
	for (uint32_t d = trace.n_devices; d-- > 1;) {
		run_device_key(&trace, d, key, sizeof(key));
		tracks.device = strcmp(key, wanted) == 0 ? d : tracks.device;
	}
	int error = rows_open_within(&rows, &trace, BATON_GAUGE, w->scene->from_ns[w->process],
								 w->scene->to_ns[w->process]);
	while (!error && rows_next(&rows))
		error = put_gauge(w, &rows, &trace, &tracks);
	error = error ? error : rows.error;
	rows_close(&rows);
	trace_close(&trace);
	return error;
}

int walk_devices(struct walking *w)
{
	const struct run *run = &w->scene->run;
	int error = 0;
	for (size_t i = 0; !error && i < run->n_devices; i++) {
		const struct run_device *device = &run->devices[i];
		if (!is_first(w, device))
			continue;
		const int32_t ordinal = ordinal_of(w, strings_get(&run->pool, device->key).at);
		error = put_steps(w, (uint32_t)i, ordinal);
		if (!error)
			error = put_idle(w, (uint32_t)i, ordinal);
		if (!error && w->sink->counter)
			error = put_running_idle(w, (uint32_t)i, ordinal);
		if (!error && w->sink->counter)
			error = put_gauges(w, device, ordinal);
	}
	return error || !w->sink->counter ? error : put_queue(w);
}
