#include "attribute/launch_log.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4096, MOVES_EACH = 32 };

/* Ops of two streams start in nearly the order they were launched in: a mark has few to pass. */
static void put_mark(struct launch_log *log, struct launch_mark mark)
{
	size_t i = log->n_marks++;
	uint64_t most = MOVES_EACH * (uint64_t)(log->n_marks + FIRST_ROOM);
	for (; i > 0 && log->marks[i - 1].launch_ns > mark.launch_ns; i--) {
		if (log->moves >= most) {
			log->sorted = false;
			break;
		}
		log->marks[i] = log->marks[i - 1];
		log->moves++;
	}
	log->marks[i] = mark;
}

static void forget_ops(struct launch_log *log)
{
	free(log->ops);
	log->ops = NULL;
	log->n_ops = log->ops_room = 0;
	log->whole = false;
}

static int add_graph(struct graph_launches *graphs, const struct op *op)
{
	if (room_for((void **)&graphs->at, graphs->n, &graphs->room, FIRST_ROOM, sizeof(*graphs->at)))
		return -ENOMEM;
	graphs->at[graphs->n++] = (struct graph_launch){op->ls, op->end - op->start, op->name};
	return 0;
}

/* The room to begin with: copying what grows costs more than what is done with it. */
static size_t first_room(const struct launch_log *log)
{
	const size_t most = log->expected < LAUNCH_LOG_OPS ? log->expected : (size_t)LAUNCH_LOG_OPS;
	return most > FIRST_ROOM ? most : (size_t)FIRST_ROOM;
}

static struct step_launches launches_of(struct launch_log *log)
{
	return (struct step_launches){log->marks, log->n_marks, &log->inputs, &log->graphs};
}

static int forget_settled(struct launch_log *log)
{
	launch_log_sort(log);
	struct step_launches launches = launches_of(log);
	int error = step_windows_go_on(&log->windows, &launches);
	log->n_marks = launches.n_marks;
	log->moves = 0;
	return error;
}

static int add_mark(struct launch_log *log, const struct op *op)
{
	int error = 0;
	if (log->windows.periods && step_windows_full(&log->windows, log->n_marks))
		error = forget_settled(log);
	if (!error)
		error = room_for((void **)&log->marks, log->n_marks, &log->marks_room, first_room(log),
						 sizeof(*log->marks));
	if (!error)
		put_mark(log, (struct launch_mark){op->ls, op->name, (uint32_t)log->launches++});
	log->marks_free = log->marks_room;
	if (log->windows.periods && log->marks_free > 2 * log->windows.window)
		log->marks_free = 2 * log->windows.window;
	return error;
}

int launch_log_room(struct launch_log *log)
{
	if (log->n_ops == LAUNCH_LOG_OPS)
		forget_ops(log);
	return log->whole ? room_for((void **)&log->ops, log->n_ops, &log->ops_room, first_room(log),
								 sizeof(*log->ops))
					  : 0;
}

int launch_log_launch(struct launch_log *log, const struct op *op)
{
	if (log->windows.periods && op->ls < log->windows.from_ns)
		return -EAGAIN;
	log->graphs.all_ns = saturate_add(log->graphs.all_ns, op->end - op->start);
	if (op->kind == BATON_GRAPH)
		return add_graph(&log->graphs, op);
	if (op->kind == BATON_MEMCPY && op->copy_dir == BATON_COPY_HTOD)
		return step_inputs_add(&log->inputs, op->ls);
	return op->kind == BATON_KERNEL ? add_mark(log, op) : 0;
}

static int by_launch(const void *a, const void *b)
{
	const struct launch_mark *x = a, *y = b;
	if (x->launch_ns != y->launch_ns)
		return x->launch_ns < y->launch_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void launch_log_sort(struct launch_log *log)
{
	if (!log->sorted)
		sort_rows(log->marks, log->n_marks, sizeof(*log->marks), by_launch);
	log->sorted = true;
	step_inputs_sort(&log->inputs);
}

/* Steps of marks that are all there. */
static int seek_whole(struct launch_log *log, struct period_memo *periods, struct logged_steps *out)
{
	const struct step_marks marks = {log->marks, log->n_marks, log->windows.n_names};
	int64_t end_ns = 0;
	struct updated_steps steps = {0};
	int error = 0;
	if (log->n_marks)
		error = updates_find(periods, &log->windows.updates, &marks, &steps);
	out->begins = steps.begins;
	out->n = steps.n;
	if (!error && out->n)
		end_ns = out->begins[out->n];
	if (!error)
		error = graph_steps_take(&log->graphs, &out->begins, &out->n, &end_ns, &out->graph);
	if (!error && out->n)
		error = step_inputs_take(&log->inputs, log->marks, log->n_marks, &log->graphs, out->begins,
								 out->n);
	if (!error && out->n)
		out->begins[out->n] = end_ns;
	return error;
}

int launch_log_steps(struct launch_log *log, struct period_memo *periods, struct logged_steps *out)
{
	*out = (struct logged_steps){.graph = UINT32_MAX};
	launch_log_sort(log);
	if (!log->windows.periods || log->windows.from_ns == INT64_MIN)
		return seek_whole(log, periods, out);
	struct step_launches launches = launches_of(log);
	int error = step_windows_end(&log->windows, &launches, &out->begins, &out->n);
	int64_t end_ns = 0;
	if (!error)
		error = graph_steps_take(&log->graphs, &out->begins, &out->n, &end_ns, &out->graph);
	return !error && out->graph != UINT32_MAX ? -EAGAIN : error;
}

void launch_log_free_marks(struct launch_log *log)
{
	free(log->marks);
	log->marks = NULL;
	log->n_marks = log->marks_room = log->marks_free = 0;
	free(log->graphs.at);
	log->graphs = (struct graph_launches){0};
	step_inputs_free(&log->inputs);
	step_windows_close(&log->windows);
}

void launch_log_free(struct launch_log *log)
{
	launch_log_free_marks(log);
	forget_ops(log);
}
