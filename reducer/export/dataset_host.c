/* What belongs to processes and nodes: calls, ranges, call stacks, readings of the GPUs. */
#include "export/dataset_walk.h"

#include "base/memory_kind.h"
#include "base/progress.h"
#include "export/walk.h"
#include "read/rows.h"
#include "stacks/stacks.h"
#include "summary/reading.h"

#include <errno.h>
#include <string.h>

struct host {
	struct dataset_walk *w;
	const struct run_process *process;
	uint32_t index;  /* of the process in the run */
	uint32_t device; /* whose steps its rows have; UINT32_MAX: none */
	struct trace trace;
	struct stacks stacks;
};

enum { FRAME_BYTES = 1024 };

static const char *text_of(const struct host *h, int64_t string)
{
	return strings_get(&h->trace.strings, idmap_get(&h->trace.string_ids, (uint64_t)string)).at;
}

static struct cell known_text(const char *text)
{
	return cell_text(text && text[0] ? text : NULL);
}

/* Is a row wanted? Fills its step and its start. */
static bool place_row(const struct host *h, int64_t own_ns, int64_t *step, int64_t *start)
{
	*step = h->device == UINT32_MAX ? -1 : dataset_step_of_launch(h->w, h->device, own_ns);
	*start = scene_time(h->w->scene, h->index, own_ns);
	return dataset_wants(h->w, *step, *start);
}

static int put_call(struct host *h, const struct rows *rows)
{
	int64_t step, start;
	if (!place_row(h, rows_value(rows, CALL_START), &step, &start))
		return 0;
	const uint32_t t = idmap_get(&h->trace.thread_ids, (uint64_t)rows_value(rows, CALL_THREAD));
	const struct trace_thread *thread = &h->trace.threads[t];
	const uint32_t device =
		idmap_get(&h->trace.device_ids, (uint64_t)rows_optional(rows, CALL_DEVICE, 0));
	const int64_t stack = stacks_find(&h->stacks, (uint64_t)rows_optional(rows, CALL_STACK, 0));
	const bool result = rows->now->present >> CALL_RESULT & 1;
	const int64_t memory = rows_optional(rows, CALL_MEMORY, 0);
	const struct cell row[CALL_ROW_COLUMNS] = {
		[CALL_ROW_RANK] = cell_int(h->process->rank),
		[CALL_ROW_STEP] = cell_int(step),
		[CALL_ROW_START] = cell_int(start),
		[CALL_ROW_DUR] = cell_int(rows_value(rows, CALL_DUR)),
		[CALL_ROW_PID] = cell_int(h->process->pid),
		[CALL_ROW_TID] = t ? cell_int(thread->tid) : (struct cell){0},
		[CALL_ROW_THREAD] = known_text(strings_get(&h->trace.strings, thread->name).at),
		[CALL_ROW_NAME] = cell_text(text_of(h, rows_value(rows, CALL_NAME))),
		[CALL_ROW_CORRELATION] =
			cell_unsigned((uint64_t)rows_optional(rows, CALL_CORRELATION, 0), 0),
		[CALL_ROW_STACK] = cell_unsigned((uint64_t)stack, 0),
		[CALL_ROW_GPU] = device ? cell_int(h->trace.devices[device].ordinal) : (struct cell){0},
		[CALL_ROW_RESULT] = result ? cell_int(rows_value(rows, CALL_RESULT)) : (struct cell){0},
		[CALL_ROW_BYTES] = cell_unsigned((uint64_t)rows_optional(rows, CALL_BYTES, 0), 0),
		[CALL_ROW_MEMORY] = known_text(memory ? memory_kind_name(memory & 15) : NULL),
	};
	return dataset_add(&h->w->set, DATASET_CALLS, row);
}

static const char *category_name(int64_t category)
{
	static const char *const names[] = {"range",    "nvtx",   "nvtx_span", "annotation",
										"operator", "python", "mark",      "optimizer"};
	return names[category >= 0 && category < 8 ? category : 0];
}

static int put_range(struct host *h, const struct rows *rows)
{
	int64_t step, start;
	if (!place_row(h, rows_value(rows, RANGE_START), &step, &start))
		return 0;
	const uint32_t t = idmap_get(&h->trace.thread_ids, (uint64_t)rows_value(rows, RANGE_THREAD));
	const struct trace_thread *thread = &h->trace.threads[t];
	const struct trace_inputs *inputs = &h->trace.inputs[idmap_get(
		&h->trace.input_ids, (uint64_t)rows_optional(rows, RANGE_INPUTS, 0))];
	const struct cell row[RANGE_ROW_COLUMNS] = {
		[RANGE_ROW_RANK] = cell_int(h->process->rank),
		[RANGE_ROW_STEP] = cell_int(step),
		[RANGE_ROW_START] = cell_int(start),
		[RANGE_ROW_DUR] = cell_int(rows_value(rows, RANGE_DUR)),
		[RANGE_ROW_PID] = cell_int(h->process->pid),
		[RANGE_ROW_TID] = t ? cell_int(thread->tid) : (struct cell){0},
		[RANGE_ROW_THREAD] = known_text(strings_get(&h->trace.strings, thread->name).at),
		[RANGE_ROW_NAME] = cell_text(text_of(h, rows_value(rows, RANGE_NAME))),
		[RANGE_ROW_CATEGORY] = cell_text(category_name(rows_optional(rows, RANGE_CATEGORY, 0))),
		[RANGE_ROW_DOMAIN] = known_text(text_of(h, rows_optional(rows, RANGE_DOMAIN, 0))),
		[RANGE_ROW_UNCLOSED] = cell_int(rows_optional(rows, RANGE_UNCLOSED, 0)),
		[RANGE_ROW_SHAPES] = known_text(strings_get(&h->trace.strings, inputs->shapes).at),
		[RANGE_ROW_TYPES] = known_text(strings_get(&h->trace.strings, inputs->types).at),
	};
	return dataset_add(&h->w->set, DATASET_RANGES, row);
}

static int put_rows(struct host *h, unsigned table,
					int (*put)(struct host *h, const struct rows *rows))
{
	struct rows rows;
	int error = rows_open(&rows, &h->trace, table);
	while (!error && rows_next(&rows))
		error = put(h, &rows);
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

static int put_frame(struct host *h, uint32_t stack, uint32_t depth)
{
	static const char *const kinds[] = {"unknown", "python", "native", "backward"};
	const uint32_t kind = stacks_frame_kind(&h->stacks, stack, depth);
	const bool python = kind == BATON_FRAME_PYTHON, native = kind == BATON_FRAME_NATIVE;
	char frame[FRAME_BYTES];
	stacks_frame_text(&h->stacks, stack, depth, frame, sizeof(frame));
	const struct cell row[STACK_COLUMNS] = {
		[STACK_RANK] = cell_int(h->process->rank),
		[STACK_PID] = cell_int(h->process->pid),
		[STACK_NUMBER] = cell_int(stack),
		[STACK_DEPTH] = cell_int(depth),
		[STACK_KIND] = cell_text(kinds[kind < 4 ? kind : 0]),
		[STACK_FRAME] = cell_text(frame),
		[STACK_FILE] = known_text(python ? stacks_python_file(&h->stacks, stack, depth) : NULL),
		[STACK_FUNCTION] =
			known_text(python ? stacks_python_function(&h->stacks, stack, depth) : NULL),
		[STACK_LIBRARY] =
			known_text(native ? stacks_native_library(&h->stacks, stack, depth) : NULL),
	};
	return dataset_add(&h->w->set, DATASET_STACKS, row);
}

static int put_stacks(struct host *h)
{
	int error = 0;
	for (uint32_t i = 1; !error && i < h->stacks.n_stacks; i++)
		for (uint32_t depth = 0; !error && depth < stacks_frames(&h->stacks, i); depth++)
			error = put_frame(h, i, depth);
	return error;
}

/* The first device that it drives. */
static uint32_t device_of(const struct run *run, uint32_t process)
{
	for (uint32_t d = 0; d < run->n_devices; d++)
		for (uint32_t i = 0; i < run->devices[d].n_processes; i++)
			if (run->devices[d].processes[i] == process)
				return d;
	return UINT32_MAX;
}

static int walk_process(struct dataset_walk *w, struct symbols *symbols, uint32_t index)
{
	const struct run *run = &w->scene->run;
	struct host h = {
		.w = w, .process = &run->processes[index], .index = index, .device = device_of(run, index)};
	int error = run_process_open(h.process, &h.trace, run->damage);
	if (error)
		return error;
	error = stacks_open(&h.stacks, &h.trace, symbols);
	if (!error)
		error = put_rows(&h, BATON_CALL, put_call);
	if (!error)
		error = put_rows(&h, BATON_RANGE, put_range);
	if (!error)
		error = put_stacks(&h);
	stacks_close(&h.stacks);
	trace_close(&h.trace);
	return error;
}

int dataset_walk_host(struct dataset_walk *w)
{
	const struct scene *scene = w->scene;
	struct symbols *symbols;
	int error = symbols_open(&symbols);
	if (error)
		return error;
	progress_begin("export", NULL, run_bytes(&scene->run));
	for (size_t i = 0; !error && i < scene->run.n_processes; i++) {
		if (!scene->taken[scene->order[i]])
			continue;
		error = walk_process(w, symbols, scene->order[i]);
	}
	progress_end();
	symbols_close(symbols);
	return error;
}

/* ---- readings ---- */

struct node {
	struct dataset_walk *w;
	const char *key; /* of the device */
	uint32_t process;
	const struct trace *trace;
	uint32_t device; /* in the trace */
};

static int put_gauge(const struct node *n, const struct rows *rows)
{
	const char *name = reading_gauge_name(rows_value(rows, GAUGE_WHICH));
	const struct run_process *process = &n->w->scene->run.processes[n->process];
	const int64_t start = scene_time(n->w->scene, n->process, rows_value(rows, ROW_START));
	const struct export_filter *filter = &n->w->scene->job->filter;
	if (!name || (filter->by_time && (start < filter->from_ns || start >= filter->to_ns)) ||
		idmap_get(&n->trace->device_ids, (uint64_t)rows_value(rows, GAUGE_DEVICE)) != n->device)
		return 0;
	const struct cell row[GAUGE_ROW_COLUMNS] = {
		[GAUGE_ROW_RANK] = cell_int(process->rank),
		[GAUGE_ROW_START] = cell_int(start),
		[GAUGE_ROW_DEVICE] = cell_text(n->key),
		[GAUGE_ROW_NAME] = cell_text(name),
		[GAUGE_ROW_VALUE] = cell_unsigned((uint64_t)rows_value(rows, GAUGE_VALUE), UINT64_MAX),
	};
	return dataset_add(&n->w->set, DATASET_GAUGES, row);
}

/* A file that can no longer be read gives no readings. */
static int walk_device(struct dataset_walk *w, const struct run_device *device, uint32_t process)
{
	struct node node = {
		.w = w, .key = strings_get(&w->scene->run.pool, device->key).at, .process = process};
	struct trace trace;
	struct rows rows;
	char key[512];
	if (trace_open(&trace, w->scene->run.gauges[device->gauges - 1].path, NULL) != 0)
		return 0;
	node.trace = &trace;
	for (uint32_t d = trace.n_devices; d-- > 1;) {
		run_device_key(&trace, d, key, sizeof(key));
		node.device = strcmp(key, node.key) == 0 ? d : node.device;
	}
	int error = rows_open(&rows, &trace, BATON_GAUGE);
	while (!error && node.device && rows_next(&rows))
		error = put_gauge(&node, &rows);
	error = error ? error : rows.error;
	rows_close(&rows);
	trace_close(&trace);
	return error;
}

int dataset_walk_gauges(struct dataset_walk *w)
{
	const struct run *run = &w->scene->run;
	uint32_t process;
	int error = 0;
	for (uint32_t i = 0; !error && i < run->n_devices; i++)
		if (run->devices[i].gauges && scene_device_process(w->scene, i, &process))
			error = walk_device(w, &run->devices[i], process);
	return error;
}
