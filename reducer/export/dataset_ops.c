/* What the attribution tells of a device: its steps, its gaps by leaf, its work. */
#include "export/dataset_walk.h"

#include "base/memory_kind.h"
#include "attribute/kernel_sums.h"
#include "attribute/op_ring.h"
#include "base/room.h"
#include "base/saturate.h"
#include "summary/leaf.h"

#include <errno.h>
#include <string.h>

enum { LEAST_ROOM = 256 };

/* ---- the device at hand ---- */

/* False: the run that was opened has no such device. */
static bool take_device(struct dataset_walk *w, const char *key)
{
	if (key == w->key)
		return w->device != UINT32_MAX;
	details_close(&w->details);
	w->key = key;
	w->device = scene_device(&w->scene->run, key, &w->last_device);
	if (w->device == UINT32_MAX)
		return false;
	w->wanted = scene_device_process(w->scene, w->device, &w->process);
	w->by_device[w->device] = (struct told_steps){w->n_steps, 0};
	return true;
}

static int32_t rank_of(const struct dataset_walk *w, uint32_t process)
{
	return w->scene->run.processes[process].rank;
}

bool dataset_wants(const struct dataset_walk *w, int64_t step, int64_t ns)
{
	const struct export_filter *filter = &w->scene->job->filter;
	return (!filter->by_step || (step >= filter->from_step && step <= filter->to_step)) &&
		   (!filter->by_time || (ns >= filter->from_ns && ns < filter->to_ns));
}

/* ---- steps ---- */

static int64_t own_begin(const struct told_step *step, bool work)
{
	return work ? step->window_from : step->begin_ns;
}

static int64_t step_at(const struct dataset_walk *w, uint32_t device, int64_t ns, bool work)
{
	const struct told_steps *of = &w->by_device[device];
	const struct told_step *steps = w->steps + of->first;
	size_t low = 0, high = of->n; /* steps[low - 1] begins at or before ns */
	if (of->n == 0)               /* the whole run is one */
		return 0;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (own_begin(&steps[middle], work) <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return -1;
	return ns < (work ? steps[low - 1].window_to : steps[low - 1].end_ns) ? steps[low - 1].number
																		  : -1;
}

int64_t dataset_step_of_work(const struct dataset_walk *w, uint32_t device, int64_t ns)
{
	return step_at(w, device, ns, true);
}

int64_t dataset_step_of_launch(const struct dataset_walk *w, uint32_t device, int64_t ns)
{
	return step_at(w, device, ns, false);
}

/* The number of the counted step at a place. */
static int64_t number_of(const struct dataset_walk *w, int32_t place)
{
	const struct told_steps *of = &w->by_device[w->device];
	if (place < 0)
		return -1;
	return (size_t)place < of->n ? w->steps[of->first + (size_t)place].number : place;
}

static void put_step(struct dataset_walk *w, const struct told_step *step)
{
	const struct run_process *process = &w->scene->run.processes[w->process];
	const int64_t from = scene_time(w->scene, w->process, step->window_from);
	if (!dataset_wants(w, step->number, from))
		return;
	const struct cell row[STEP_COLUMNS] = {
		[STEP_RANK] = cell_int(process->rank),
		[STEP_NUMBER] = cell_int(step->number),
		[STEP_START] = cell_int(from),
		[STEP_DUR] = cell_int(saturate_sub(step->window_to, step->window_from)),
		[STEP_LAUNCH_START] = cell_int(scene_time(w->scene, w->process, step->begin_ns)),
		[STEP_LAUNCH_DUR] = cell_int(saturate_sub(step->end_ns, step->begin_ns)),
		[STEP_DEVICE] = cell_text(w->key),
		[STEP_PID] = cell_int(process->pid),
		[STEP_PLACE] = cell_int(step->place),
	};
	w->error = dataset_add(&w->set, DATASET_STEPS, row);
}

void dataset_take_step(const struct step_place *place, void *context)
{
	struct dataset_walk *w = context;
	if (w->error || !take_device(w, place->device))
		return;
	w->error =
		room_for((void **)&w->steps, w->n_steps, &w->steps_room, LEAST_ROOM, sizeof(*w->steps));
	if (w->error)
		return;
	struct told_step *step = &w->steps[w->n_steps++];
	*step = (struct told_step){.begin_ns = place->begin_ns,
							   .end_ns = place->end_ns,
							   .window_from = place->window_from,
							   .window_to = place->window_to,
							   .number = place->number >= 0 ? place->number : place->step,
							   .place = place->step};
	w->by_device[w->device].n++;
	if (w->wanted)
		put_step(w, step);
}

/* ---- gaps ---- */

void dataset_take_idle(const struct idle_piece *piece, void *context)
{
	struct dataset_walk *w = context;
	if (w->error || !take_device(w, piece->device) || !w->wanted)
		return;
	const struct run_process *process = &w->scene->run.processes[w->process];
	const int64_t step = dataset_step_of_work(w, w->device, piece->from_ns);
	const int64_t from = scene_time(w->scene, w->process, piece->from_ns);
	if (!dataset_wants(w, step, from))
		return;
	const struct cell row[GAP_COLUMNS] = {
		[GAP_RANK] = cell_int(process->rank),
		[GAP_STEP] = cell_int(step),
		[GAP_START] = cell_int(from),
		[GAP_DUR] = cell_int(saturate_sub(piece->to_ns, piece->from_ns)),
		[GAP_DEVICE] = cell_text(w->key),
		[GAP_PID] = cell_int(process->pid),
		[GAP_LEAF] = cell_text(leaf_name(piece->leaf)),
		[GAP_EVIDENCE] = cell_text(piece->evidence[0] ? piece->evidence : NULL),
	};
	w->error = dataset_add(&w->set, DATASET_GAPS, row);
}

/* ---- work ---- */

static const char *kind_name(uint8_t kind)
{
	static const char *const names[] = {"unknown", "kernel", "memcpy", "memset", "graph"};
	return names[kind < sizeof(names) / sizeof(names[0]) ? kind : 0];
}

static const char *copy_name(const struct op *op)
{
	static const char *const names[] = {NULL, "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"};
	const bool copy = op->kind == BATON_MEMCPY && op->copy_dir < sizeof(names) / sizeof(names[0]);
	return copy ? names[op->copy_dir] : NULL;
}

static const char *class_of(struct feed *feed, const struct op *op)
{
	if (op->kind == BATON_KERNEL || op->name != 0)
		return feed_kernel(feed, op->name)->class_name;
	return class_name(op->kind == BATON_MEMSET ? CLASS_MEMSET : CLASS_MEMCPY);
}

static void put_launch(const struct dataset_walk *w, const struct op_seen *seen, struct cell *row)
{
	const struct op *op = seen->op;
	const struct trace *trace = &seen->feed->trace;
	if (!(op->flags & OP_MATCHED))
		return;
	row[KERNEL_LAUNCH] = cell_int(scene_time(w->scene, seen->feed->process, op->ls));
	row[KERNEL_LAUNCH_DUR] = cell_int(op->le - op->ls);
	row[KERNEL_CALL] = cell_text(feed_text(seen->feed, op->call_name));
	if (op->thread)
		row[KERNEL_TID] = cell_int(trace->threads[op->thread].tid);
}

static void put_shape(const struct trace_shape *shape, struct cell *row)
{
	for (int i = 0; i < 3; i++) {
		row[KERNEL_GRID_X + i] = cell_unsigned(shape->grid[i], BATON_SHAPE_UNKNOWN);
		row[KERNEL_BLOCK_X + i] = cell_unsigned(shape->block[i], BATON_SHAPE_UNKNOWN);
	}
	row[KERNEL_REGISTERS] = cell_unsigned(shape->registers, BATON_SHAPE_UNKNOWN);
	row[KERNEL_STATIC_SHARED] = cell_unsigned(shape->static_shared, BATON_SHAPE_UNKNOWN);
	row[KERNEL_DYNAMIC_SHARED] = cell_unsigned(shape->dynamic_shared, BATON_SHAPE_UNKNOWN);
}

/* The devices of a copy by their keys. */
static void put_ends(struct dataset_walk *w, const struct trace *trace, const struct detail *d,
					 struct cell *row)
{
	const uint32_t ends[2] = {d->source, d->target};
	for (int i = 0; i < 2; i++) {
		if (!ends[i])
			continue;
		run_device_key(trace, ends[i], w->ends[i], sizeof(w->ends[i]));
		row[i ? KERNEL_TO_DEVICE : KERNEL_FROM_DEVICE] = cell_text(w->ends[i]);
	}
}

static int put_detail(struct dataset_walk *w, const struct op_seen *seen, struct cell *row)
{
	const struct detail *d;
	const int error =
		details_find(&w->details, &w->scene->run.processes[seen->feed->process], seen->op, &d);
	if (error || !d)
		return error;
	row[KERNEL_CONTEXT] = cell_int(d->context);
	if (d->present >> OP_BYTES & 1 && seen->op->kind != BATON_KERNEL)
		row[KERNEL_BYTES] = cell_unsigned((uint64_t)d->bytes, UINT64_MAX);
	if (d->memory & 15)
		row[KERNEL_FROM] = cell_text(memory_kind_name(d->memory & 15));
	if (d->memory >> 4 & 15)
		row[KERNEL_TO] = cell_text(memory_kind_name(d->memory >> 4 & 15));
	if (d->graph_node)
		row[KERNEL_GRAPH_NODE] = cell_unsigned((uint64_t)d->graph_node, 0);
	const struct trace_stream *stream = &seen->feed->trace.streams[d->place];
	if (stream->has_priority)
		row[KERNEL_PRIORITY] = cell_int(stream->priority);
	if (d->shape)
		put_shape(&seen->feed->trace.shapes[d->shape], row);
	put_ends(w, &seen->feed->trace, d, row);
	return 0;
}

static int put_op(struct dataset_walk *w, const struct op_seen *seen, int64_t step, int64_t start)
{
	const struct op *op = seen->op;
	const struct trace *trace = &seen->feed->trace;
	const uint32_t process = seen->feed->process;
	struct cell row[KERNEL_COLUMNS] = {
		[KERNEL_RANK] = cell_int(rank_of(w, process)),
		[KERNEL_STEP] = cell_int(step),
		[KERNEL_START] = cell_int(start),
		[KERNEL_DUR] = cell_int(op->end - op->start),
		[KERNEL_DEVICE] = cell_text(w->key),
		[KERNEL_GPU] = cell_int(trace->devices[seen->feed->device].ordinal),
		[KERNEL_PID] = cell_int(trace->process.pid),
		[KERNEL_STREAM] = cell_int(op->stream),
		[KERNEL_KIND] = cell_text(kind_name(op->kind)),
		[KERNEL_NAME] = cell_text(kernel_sums_name(seen->feed, op)),
		[KERNEL_GROUP] = cell_text(group_name(op->group)),
		[KERNEL_CLASS] = cell_text(class_of(seen->feed, op)),
		[KERNEL_CORRELATION] = cell_unsigned(op->correlation, 0),
		[KERNEL_COPY] = cell_text(copy_name(op)),
	};
	put_launch(w, seen, row);
	const int error = put_detail(w, seen, row);
	return error ? error : dataset_add(&w->set, DATASET_KERNELS, row);
}

static int put_collective(struct dataset_walk *w, const struct op_seen *seen, int64_t step,
						  int64_t start)
{
	const struct op *op = seen->op;
	const struct coll_args *coll = seen->coll;
	const struct trace *trace = &seen->feed->trace;
	const int64_t dur = op->end - op->start;
	const uint32_t comm = coll ? coll->comm : 0;
	const char *comm_name = feed_text(seen->feed, trace->comms[comm].name);
	const struct cell row[COLLECTIVE_COLUMNS] = {
		[COLLECTIVE_RANK] = cell_int(rank_of(w, seen->feed->process)),
		[COLLECTIVE_STEP] = cell_int(step),
		[COLLECTIVE_START] = cell_int(start),
		[COLLECTIVE_DUR] = cell_int(dur),
		[COLLECTIVE_DEVICE] = cell_text(w->key),
		[COLLECTIVE_PID] = cell_int(trace->process.pid),
		[COLLECTIVE_STREAM] = cell_int(op->stream),
		[COLLECTIVE_CORRELATION] = cell_unsigned(op->correlation, 0),
		[COLLECTIVE_KERNEL] = cell_text(kernel_sums_name(seen->feed, op)),
		[COLLECTIVE_OP] = cell_text(seen->collective),
		[COLLECTIVE_COMM] = cell_text(comm_name[0] ? comm_name : NULL),
		[COLLECTIVE_RANKS] = cell_unsigned(seen->members, 0),
		[COLLECTIVE_SEQUENCE] = coll && coll->has_sequence
									? cell_unsigned(coll->sequence, UINT64_MAX)
									: (struct cell){0},
		[COLLECTIVE_BYTES] = coll && coll->bytes >= 0 ? cell_int(coll->bytes) : (struct cell){0},
		[COLLECTIVE_OUT_BYTES] =
			coll && coll->out_bytes >= 0 ? cell_int(coll->out_bytes) : (struct cell){0},
		[COLLECTIVE_TRANSFER] = cell_int(seen->unsplit ? 0 : dur - seen->wait_ns),
		[COLLECTIVE_WAIT] = cell_int(seen->wait_ns),
		[COLLECTIVE_UNSPLIT] = cell_int(seen->unsplit ? dur : 0),
		[COLLECTIVE_REASON] = cell_text(seen->unsplit),
	};
	return dataset_add(&w->set, DATASET_COLLECTIVES, row);
}

void dataset_take_op(const struct op_seen *seen, void *context)
{
	struct dataset_walk *w = context;
	const uint32_t process = seen->feed->process;
	if (w->error || !take_device(w, seen->device))
		return;
	if (process >= w->scene->run.n_processes || !w->scene->taken[process])
		return;
	const int64_t step = number_of(w, seen->op->step);
	const int64_t start = scene_time(w->scene, process, seen->op->start);
	if (!dataset_wants(w, step, start))
		return;
	w->error = put_op(w, seen, step, start);
	if (!w->error && seen->op->group == GROUP_NCCL)
		w->error = put_collective(w, seen, step, start);
}
