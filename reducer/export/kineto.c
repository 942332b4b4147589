/* Trace events as torch.profiler writes them: a file for each process, HOST_PID.TIME.pt.trace.json,
 * the form that TensorBoard's plugin reads. Events carry what both readers join by: correlation,
 * External id, ac2g flows; steps are ProfilerStep#N on the thread that launches most. */
#include "export/timeline_files.h"

#include "base/room.h"
#include "base/saturate.h"
#include "export/kineto_args.h"
#include "export/micros.h"
#include "export/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_BYTES = 63 };

struct place {
	int64_t pid, tid;
};

struct record { /* the last record of an event */
	uint64_t event;
	uint64_t correlation;
};

struct kineto {
	struct json json;
	const struct scene *scene;
	const char *dir;
	struct walk_process process;
	struct place *places; /* by track */
	size_t places_room;
	uint64_t *calls; /* by track */
	size_t calls_room;
	uint32_t main_track; /* with most calls; 0: none */
	bool has_steps;      /* the trace has ProfilerStep ranges itself */
	struct record *records;
	size_t n_records;
	struct table record_ids;
};

static int written(const struct kineto *k)
{
	return ferror(k->json.out) ? errno ? -errno : -EIO : 0;
}

/* ---- files ---- */

static void file_name(const struct kineto *k, char *name, size_t bytes)
{
	char host[HOST_BYTES + 1];
	snprintf(host, sizeof(host), "%s", *k->process.host ? k->process.host : "host");
	for (char *at = host; *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *at))
			*at = '_';
	/* 13 digits, as many as a time in ms has; the place keeps names of restarted processes apart */
	snprintf(name, bytes, "%s_%" PRId64 ".%013" PRId64 ".pt.trace.json", host, k->process.pid,
			 k->scene->origin_ns / 1000000 + k->process.place);
}

static int create(struct kineto *k)
{
	char name[160], *path;
	file_name(k, name, sizeof(name));
	if (asprintf(&path, "%s/%s", k->dir, name) < 0)
		return -ENOMEM;
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int error = fd < 0 ? -errno : 0;
	free(path);
	k->json = (struct json){.out = error ? NULL : fdopen(fd, "w")};
	if (!error && !k->json.out) {
		error = -errno;
		close(fd);
	}
	return error;
}

static void put_facts(struct kineto *k)
{
	const struct trace *trace = k->process.trace;
	json_number(&k->json, "schemaVersion", 1);
	json_array(&k->json, "deviceProperties");
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		json_object(&k->json, NULL);
		json_number(&k->json, "id", trace->devices[d].ordinal);
		json_text(&k->json, "name", strings_get(&trace->strings, trace->devices[d].name).at);
		json_end_object(&k->json);
	}
	json_end_array(&k->json);
	if (k->process.rank >= 0) {
		json_object(&k->json, "distributedInfo");
		json_text(&k->json, "backend", "nccl");
		json_number(&k->json, "rank", k->process.rank);
		if (trace->has_process && trace->process.world_size > 0)
			json_number(&k->json, "world_size", trace->process.world_size);
		json_end_object(&k->json);
	}
	json_text(&k->json, "displayTimeUnit", "ms");
	json_number(&k->json, "baseTimeNanoseconds", k->scene->origin_ns);
}

/* ---- events ---- */

static void begin_event(struct kineto *k, const char *phase, struct place place)
{
	fputs(k->json.comma ? ",\n" : "\n", k->json.out);
	k->json.comma = false;
	json_object(&k->json, NULL);
	json_text(&k->json, "ph", phase);
	json_number(&k->json, "pid", place.pid);
	json_number(&k->json, "tid", place.tid);
}

static void put_times(struct kineto *k, int64_t start_ns, int64_t dur_ns)
{
	micros_put(&k->json, "ts", start_ns);
	micros_put(&k->json, "dur", dur_ns);
}

static int end_event(struct kineto *k)
{
	json_end_object(&k->json);
	return written(k);
}

static int put_meta(struct kineto *k, struct place place, const char *what, const char *text)
{
	begin_event(k, "M", place);
	micros_put(&k->json, "ts", 0);
	json_text(&k->json, "name", what);
	json_object(&k->json, "args");
	json_text(&k->json, strcmp(what, "process_labels") == 0 ? "labels" : "name", text);
	json_end_object(&k->json);
	return end_event(k);
}

static int put_process(void *of, const struct walk_process *process)
{
	struct kineto *k = of;
	const struct place host = {process->pid, 0};
	k->process = *process;
	k->main_track = 0;
	k->has_steps = false;
	int error = create(k);
	if (error)
		return error;
	json_object(&k->json, NULL);
	put_facts(k);
	json_array(&k->json, "traceEvents");
	error = put_meta(k, host, "process_name", "python");
	if (!error)
		error = put_meta(k, host, "process_labels", "CPU");
	for (uint32_t d = 1; !error && d < process->trace->n_devices; d++) {
		char text[32];
		const struct place device = {process->trace->devices[d].ordinal, 0};
		snprintf(text, sizeof(text), "GPU %d", process->trace->devices[d].ordinal);
		error = put_meta(k, device, "process_name", "python");
		if (!error)
			error = put_meta(k, device, "process_labels", text);
	}
	return error;
}

static int put_track(void *of, const struct walk_track *track)
{
	struct kineto *k = of;
	char text[48];
	if (room_reach((void **)&k->places, &k->places_room, track->id, sizeof(*k->places)) != 0 ||
		room_reach((void **)&k->calls, &k->calls_room, track->id, sizeof(*k->calls)) != 0)
		return -ENOMEM;
	if (track->kind != TRACK_THREAD && track->kind != TRACK_STREAM)
		return 0;
	const bool stream = track->kind == TRACK_STREAM;
	k->places[track->id] = (struct place){stream ? track->device : k->process.pid, track->number};
	if (track->lane)
		return 0;
	snprintf(text, sizeof(text), "%s %" PRId64, stream ? "stream" : "thread", track->number);
	return put_meta(k, k->places[track->id], "thread_name", text);
}

static int put_op(struct kineto *k, const struct walk_slice *s)
{
	static const char *const categories[] = {"kernel", "kernel", "gpu_memcpy", "gpu_memset",
											 "kernel"};
	const int64_t kind = s->row->value[OP_KIND];
	begin_event(k, "X", k->places[s->track]);
	json_text(&k->json, "cat", categories[kind >= 0 && kind < 5 ? kind : 0]);
	json_text(&k->json, "name", s->name);
	put_times(k, s->start_ns, s->dur_ns);
	json_object(&k->json, "args");
	kineto_args_op(&k->json, s);
	json_end_object(&k->json);
	return end_event(k);
}

/* cuLaunchKernel is the driver's, cudaLaunchKernel the runtime's. */
static bool is_driver(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

static int put_call(struct kineto *k, const struct walk_slice *s)
{
	k->calls[s->track]++;
	if (!k->main_track || k->calls[s->track] > k->calls[k->main_track])
		k->main_track = s->track;
	begin_event(k, "X", k->places[s->track]);
	json_text(&k->json, "cat", is_driver(s->name) ? "cuda_driver" : "cuda_runtime");
	json_text(&k->json, "name", *s->name ? s->name : "(unnamed)");
	put_times(k, s->start_ns, s->dur_ns);
	json_object(&k->json, "args");
	kineto_args_call(&k->json, s);
	json_end_object(&k->json);
	return end_event(k);
}

static int put_range(struct kineto *k, const struct walk_slice *s)
{
	const int64_t category = s->row->value[RANGE_CATEGORY];
	if (category == BATON_RANGE_OPTIMIZER) /* torch.profiler has no such event */
		return 0;
	k->has_steps |= strncmp(s->name, "ProfilerStep#", 13) == 0;
	begin_event(k, "X", k->places[s->track]);
	json_text(&k->json, "cat",
			  category == BATON_RANGE_OPERATOR ? "cpu_op"
			  : category == BATON_RANGE_PYTHON ? "python_function"
											   : "user_annotation");
	json_text(&k->json, "name", *s->name ? s->name : "(unnamed)");
	put_times(k, s->start_ns, s->dur_ns);
	json_object(&k->json, "args");
	if (category == BATON_RANGE_OPERATOR)
		kineto_args_operator(&k->json, s);
	json_end_object(&k->json);
	return end_event(k);
}

/* Overhead that holds for every thread has none: pid -1, as Kineto writes it. */
static int put_overhead(struct kineto *k, const struct walk_slice *s)
{
	static const char *const names[] = {"Overhead", "Profiler", "Module Loading",
										"Command Buffer Full"};
	const int64_t kind = s->row->value[OVERHEAD_KIND];
	const struct place none = {-1, 0};
	begin_event(k, "X", s->row->value[OVERHEAD_THREAD] ? k->places[s->track] : none);
	json_text(&k->json, "cat", "overhead");
	json_text(&k->json, "name", *s->name ? s->name : names[kind >= 0 && kind < 4 ? kind : 0]);
	put_times(k, s->start_ns, s->dur_ns);
	json_object(&k->json, "args");
	json_end_object(&k->json);
	return end_event(k);
}

static int put_begin(void *of, const struct walk_slice *s)
{
	struct kineto *k = of;
	switch (s->kind) {
	case WALK_OP:
		return put_op(k, s);
	case WALK_CALL:
		return put_call(k, s);
	case WALK_RANGE:
		return put_range(k, s);
	case WALK_OVERHEAD:
		return put_overhead(k, s);
	default:
		return 0; /* idle time is for who reads the file to find */
	}
}

static int put_flow(void *of, const struct walk_flow *flow)
{
	struct kineto *k = of;
	const struct walk_place *places[] = {&flow->from, &flow->to};
	for (int i = 0; i < 2 && flow->kind == FLOW_LAUNCH; i++) {
		begin_event(k, i ? "f" : "s", k->places[places[i]->track]);
		json_number(&k->json, "id", (int64_t)flow->id);
		micros_put(&k->json, "ts", places[i]->ns);
		json_text(&k->json, "cat", "ac2g");
		json_text(&k->json, "name", "ac2g");
		if (i)
			json_text(&k->json, "bp", "e");
		if (end_event(k) != 0)
			return written(k);
	}
	return 0;
}

/* ---- synchronisation ---- */

/* The record for which a wait was called: that of its row, else the event's last one. */
static uint64_t record_of(struct kineto *k, const struct walk_row *row)
{
	const uint64_t event = (uint64_t)row->value[SYNC_EVENT];
	if (row->value[SYNC_RECORD_CORRELATION] || !(row->present >> SYNC_EVENT & 1))
		return (uint64_t)row->value[SYNC_RECORD_CORRELATION];
	const uint32_t found =
		table_find(&k->record_ids, k->records, TABLE_SHAPE(struct record, event), &event);
	return found ? k->records[found - 1].correlation : 0;
}

static int note_record(struct kineto *k, const struct walk_row *row)
{
	const uint64_t event = (uint64_t)row->value[SYNC_EVENT];
	struct record *record =
		table_row(&k->record_ids, TABLE_ROWS(k->records, k->n_records, event), &event);
	if (record)
		record->correlation = (uint64_t)row->value[SYNC_CORRELATION];
	return record ? 0 : -ENOMEM;
}

static int put_sync(void *of, const struct walk_row *row, const struct trace *trace)
{
	struct kineto *k = of;
	const char *name = kineto_sync_name(row->value[SYNC_KIND]);
	const struct trace_stream *stream =
		&trace->streams[idmap_get(&trace->stream_ids, (uint64_t)row->value[SYNC_STREAM])];
	const struct place place = {trace->devices[stream->device].ordinal, stream->stream};
	if (row->value[SYNC_KIND] == BATON_SYNC_EVENT_RECORD)
		return note_record(k, row);
	if (!name)
		return 0;
	begin_event(k, "X", place);
	json_text(&k->json, "cat", "cuda_sync");
	json_text(&k->json, "name", name);
	put_times(k, scene_time(k->scene, k->process.place, row->value[ROW_START]),
			  row->value[ROW_DUR]);
	json_object(&k->json, "args");
	kineto_args_sync(&k->json, row, record_of(k, row));
	json_number(&k->json, "stream", row->value[SYNC_STREAM] ? stream->stream : -1);
	json_number(&k->json, "device", trace->devices[stream->device].ordinal);
	json_number(&k->json, "context", stream->context);
	json_end_object(&k->json);
	return end_event(k);
}

/* ---- the end of a file ---- */

/* Where the next step begins with the end of this one, this one ends 1 ns earlier: TensorBoard's
 * plugin adds ts and dur as floating point numbers, and of two that then overlap it drops one. */
static int64_t step_length(const struct scene *scene, size_t i)
{
	const struct scene_step *step = &scene->steps[i], *next = step + 1;
	const int64_t ns = saturate_sub(step->end_ns, step->begin_ns);
	const bool meets =
		i + 1 < scene->n_steps && next->device == step->device && next->begin_ns == step->end_ns;
	return ns - (meets && ns > 0);
}

/* The first device that the process drives has its steps. */
static int put_steps(struct kineto *k)
{
	const struct scene *scene = k->scene;
	const uint32_t process = k->process.place;
	uint32_t device = 0;
	int error = 0;
	while (device < scene->run.n_devices && (scene->run.devices[device].n_processes == 0 ||
											 scene->run.devices[device].processes[0] != process))
		device++;
	for (size_t i = 0; !error && i < scene->n_steps; i++) {
		const struct scene_step *step = &scene->steps[i];
		char name[40];
		if (step->device != device || step->begin_ns < scene->from_ns[process] ||
			step->begin_ns >= scene->to_ns[process])
			continue;
		snprintf(name, sizeof(name), "ProfilerStep#%" PRId64, step->number);
		begin_event(k, "X", k->places[k->main_track]);
		json_text(&k->json, "cat", "user_annotation");
		json_text(&k->json, "name", name);
		put_times(k, scene_time(scene, process, step->begin_ns), step_length(scene, i));
		json_object(&k->json, "args");
		json_end_object(&k->json);
		error = end_event(k);
	}
	return error;
}

static int close_file(struct kineto *k, int error)
{
	errno = 0;
	if (!k->json.out)
		return error;
	if (!error && (fflush(k->json.out) != 0 || ferror(k->json.out)))
		error = errno ? -errno : -EIO;
	if (fclose(k->json.out) != 0 && !error)
		error = errno ? -errno : -EIO;
	k->json.out = NULL;
	free(k->records);
	k->records = NULL;
	k->n_records = 0;
	table_free(&k->record_ids);
	return error;
}

static int end_process(void *of)
{
	struct kineto *k = of;
	int error = k->has_steps || !k->main_track ? 0 : put_steps(k);
	json_end_array(&k->json);
	json_end_object(&k->json);
	fputc('\n', k->json.out);
	return close_file(k, error);
}

static int write_kineto(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	struct kineto k = {.scene = scene, .dir = dir};
	const struct walk_sink sink = {.of = &k,
								   .process = put_process,
								   .process_end = end_process,
								   .track = put_track,
								   .begin = put_begin,
								   .flow = put_flow,
								   .sync = put_sync};
	(void)out;
	int error = walk(scene, &sink, crowded);
	error = close_file(&k, error); /* of a walk that ended early */
	free(k.places);
	free(k.calls);
	return error;
}

int timeline_kineto(const struct export_job *job)
{
	static const struct timeline_form form = {.directory = true, .write = write_kineto};
	return timeline_write(job, &form);
}
