/* Trace events as JSON (the format of chrome://tracing). A process has the number of its position in
 * the order of ranks, a track its own number as that of a thread. */
#include "export/timeline_files.h"

#include "base/room.h"
#include "export/micros.h"
#include "export/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct chrome {
	struct json json;
	const struct scene *scene;
	uint32_t *process_of; /* by track: the number of its process */
	char **counter_of;    /* by track: the name of a counter */
	size_t tracks_room, counters_room;
	uint32_t process;
};

static int written(const struct chrome *c)
{
	return ferror(c->json.out) ? errno ? -errno : -EIO : 0;
}

static void begin_event(struct chrome *c, const char *phase, uint32_t track)
{
	fputs(c->json.comma ? ",\n" : "\n", c->json.out);
	c->json.comma = false;
	json_object(&c->json, NULL);
	json_text(&c->json, "ph", phase);
	json_number(&c->json, "pid", track ? c->process_of[track] : c->process);
	json_number(&c->json, "tid", track);
}

static int end_event(struct chrome *c)
{
	json_end_object(&c->json);
	return written(c);
}

/* A name or a place in the order of a process (track 0) or a track. */
static int put_meta(struct chrome *c, uint32_t track, const char *what, const char *text,
					int64_t number)
{
	begin_event(c, "M", track);
	json_text(&c->json, "name", what);
	json_object(&c->json, "args");
	if (text)
		json_text(&c->json, "name", text);
	else
		json_number(&c->json, "sort_index", number);
	json_end_object(&c->json);
	return end_event(c);
}

static int put_process(void *of, const struct walk_process *process)
{
	struct chrome *c = of;
	char name[512];
	c->process = process->position + 1;
	if (process->rank >= 0)
		snprintf(name, sizeof(name), "rank %d (%s, pid %lld)", process->rank, process->host,
				 (long long)process->pid);
	else
		snprintf(name, sizeof(name), "%s, pid %lld", process->host, (long long)process->pid);
	const int error = put_meta(c, 0, "process_name", name, 0);
	return error ? error : put_meta(c, 0, "process_sort_index", NULL, process->position);
}

static int put_track(void *of, const struct walk_track *track)
{
	struct chrome *c = of;
	if (room_reach((void **)&c->process_of, &c->tracks_room, track->id, sizeof(uint32_t)) != 0 ||
		room_reach((void **)&c->counter_of, &c->counters_room, track->id, sizeof(char *)) != 0)
		return -ENOMEM;
	c->process_of[track->id] = c->process;
	if (track->kind == TRACK_COUNTER) {
		c->counter_of[track->id] = strdup(track->name);
		return c->counter_of[track->id] ? 0 : -ENOMEM;
	}
	const int error = put_meta(c, track->id, "thread_name", track->name, 0);
	return error ? error
				 : put_meta(c, track->id, "thread_sort_index", NULL,
							(int64_t)track->kind * 100000 + track->id);
}

static int put_begin(void *of, const struct walk_slice *s)
{
	struct chrome *c = of;
	begin_event(c, "X", s->track);
	json_text(&c->json, "cat", s->category);
	json_text(&c->json, "name", *s->name ? s->name : "(unnamed)");
	micros_put(&c->json, "ts", s->start_ns);
	micros_put(&c->json, "dur", s->dur_ns);
	if (s->kind == WALK_OP || s->kind == WALK_CALL) {
		json_object(&c->json, "args");
		json_number(&c->json, "correlation", s->row->value[OP_CORRELATION]);
		if (s->kind == WALK_OP && s->row->present >> OP_BYTES & 1)
			json_number(&c->json, "bytes", s->row->value[OP_BYTES]);
		if (s->coll && s->coll->present >> COLL_BYTES & 1)
			json_number(&c->json, "collective bytes", s->coll->value[COLL_BYTES]);
		if (s->coll && s->coll->present >> COLL_SEQUENCE & 1)
			json_number(&c->json, "sequence", s->coll->value[COLL_SEQUENCE]);
		json_end_object(&c->json);
	}
	return end_event(c);
}

static int put_flow(void *of, const struct walk_flow *flow)
{
	static const char *const names[] = {"launch", "collective", "send"};
	struct chrome *c = of;
	const struct walk_place *places[] = {&flow->from, &flow->to};
	for (int i = 0; i < 2; i++) {
		begin_event(c, i ? "f" : "s", places[i]->track);
		json_text(&c->json, "cat", names[flow->kind]);
		json_text(&c->json, "name", names[flow->kind]);
		json_number(&c->json, "id", (int64_t)flow->id);
		micros_put(&c->json, "ts", places[i]->ns);
		if (i)
			json_text(&c->json, "bp", "e");
		if (end_event(c) != 0)
			return written(c);
	}
	return 0;
}

static int put_counter(void *of, uint32_t track, int64_t ns, int64_t value)
{
	struct chrome *c = of;
	begin_event(c, "C", track);
	json_text(&c->json, "name", c->counter_of[track]);
	micros_put(&c->json, "ts", ns);
	json_object(&c->json, "args");
	json_number(&c->json, "value", value);
	json_end_object(&c->json);
	return end_event(c);
}

static int put_all(struct chrome *c, uint64_t *crowded)
{
	char words[CLOCK_WORDS];
	const struct walk_sink sink = {.of = c,
								   .sends = true,
								   .process = put_process,
								   .track = put_track,
								   .begin = put_begin,
								   .flow = put_flow,
								   .counter = put_counter};
	json_object(&c->json, NULL);
	json_text(&c->json, "displayTimeUnit", "ns");
	json_object(&c->json, "otherData");
	json_text(&c->json, "clock", scene_clock_words(c->scene, words));
	json_number(&c->json, "origin_ns", c->scene->origin_ns);
	json_end_object(&c->json);
	json_array(&c->json, "traceEvents");
	const int error = walk(c->scene, &sink, crowded);
	json_end_array(&c->json);
	json_end_object(&c->json);
	fputc('\n', c->json.out);
	return error;
}

static int write_chrome(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	struct chrome c = {.json = {.out = out}, .scene = scene};
	(void)dir;
	errno = 0;
	const int error = put_all(&c, crowded);
	for (size_t i = 0; i < c.counters_room; i++)
		free(c.counter_of[i]);
	free(c.counter_of);
	free(c.process_of);
	return error;
}

int timeline_chrome(const struct export_job *job)
{
	static const struct timeline_form form = {.directory = false, .write = write_chrome};
	return timeline_write(job, &form);
}
