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
	log->graphs.all_ns += op->end - op->start;
	if (op->kind == BATON_GRAPH)
		return add_graph(&log->graphs, op);
	if (op->kind == BATON_MEMCPY && op->copy_dir == BATON_COPY_HTOD)
		return step_inputs_add(&log->inputs, op->ls);
	if (op->kind != BATON_KERNEL)
		return 0;
	int error = room_for((void **)&log->marks, log->n_marks, &log->marks_room, first_room(log),
						 sizeof(*log->marks));
	if (!error)
		put_mark(log, (struct launch_mark){op->ls, op->name, (uint32_t)log->n_marks});
	return error;
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

void launch_log_free_marks(struct launch_log *log)
{
	free(log->marks);
	log->marks = NULL;
	log->n_marks = log->marks_room = 0;
	free(log->graphs.at);
	log->graphs = (struct graph_launches){0};
	step_inputs_free(&log->inputs);
}

void launch_log_free(struct launch_log *log)
{
	launch_log_free_marks(log);
	forget_ops(log);
}
