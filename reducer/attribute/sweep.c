#include "attribute/sweep.h"

#include "base/holds.h"
#include "base/room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(RANK_COUNT == LEAF_COPY_EXPOSED + 1 && LEAF_WORK_MATMUL == 0,
			   "ranks are the first leaves");

static int first_running(const struct sweep *sweep)
{
	int rank = 0;
	while (rank < RANK_COUNT && !sweep->running[rank])
		rank++;
	return rank;
}

/* Accounts [sweep->now, to), during which nothing changes. */
static void account(struct sweep *sweep, int64_t to)
{
	int64_t from = sweep->now > sweep->window_from ? sweep->now : sweep->window_from;
	int64_t until = to < sweep->window_to ? to : sweep->window_to;
	int rank = first_running(sweep);
	bool only_waits = rank == RANK_WAIT && !sweep->running[RANK_COPY];
	if (only_waits && to > sweep->now && sweep->on_wait && !sweep->error)
		sweep->error = sweep->on_wait(sweep->context, sweep->now, to);
	HOLDS(to >= sweep->now);
	sweep->now = to;
	if (from >= until || rank == RANK_COUNT)
		return;
	sweep->time_ns[rank] += until - from;
	step_cursor_add(&sweep->steps, (enum leaf)rank, from, until);
	bool nccl =
		sweep->running[RANK_TRANSFER] || sweep->running[RANK_UNSPLIT] || sweep->running[RANK_WAIT];
	if (rank <= RANK_GRAPH && nccl)
		sweep->hidden_ns += until - from;
}

static inline int heap_push(struct sweep *sweep, struct sweep_change change)
{
	if (room_for((void **)&sweep->heap, sweep->n_heap, &sweep->heap_room, 64,
				 sizeof(*sweep->heap)) != 0)
		return -ENOMEM;
	size_t i = sweep->n_heap++;
	for (; i > 0 && sweep->heap[(i - 1) / 2].at > change.at; i = (i - 1) / 2)
		sweep->heap[i] = sweep->heap[(i - 1) / 2];
	sweep->heap[i] = change;
	return 0;
}

static struct sweep_change heap_pop(struct sweep *sweep)
{
	struct sweep_change first = sweep->heap[0], last = sweep->heap[--sweep->n_heap];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < sweep->n_heap; i = child) {
		if (child + 1 < sweep->n_heap && sweep->heap[child + 1].at < sweep->heap[child].at)
			child++;
		if (sweep->heap[child].at >= last.at)
			break;
		sweep->heap[i] = sweep->heap[child];
	}
	sweep->heap[i] = last;
	return first;
}

static void run_until(struct sweep *sweep, int64_t to)
{
	while (sweep->n_heap && sweep->heap[0].at <= to) {
		struct sweep_change change = heap_pop(sweep);
		account(sweep, change.at);
		HOLDS(change.ends < 0 || sweep->running[change.ends] > 0);
		if (change.ends >= 0)
			sweep->running[change.ends]--;
		if (change.begins >= 0)
			sweep->running[change.begins]++;
	}
}

int sweep_go_on(struct sweep *sweep, int64_t to)
{
	run_until(sweep, to);
	account(sweep, to);
	return sweep->error;
}

int sweep_op_beside(struct sweep *sweep, enum work_rank rank, int64_t turns, int64_t end)
{
	const int64_t start = sweep->now;
	if (rank != RANK_WAIT || turns >= end) {
		sweep->running[rank]++;
		return heap_push(sweep, (struct sweep_change){end, (int8_t)rank, -1});
	}
	if (turns <= start) {
		sweep->running[RANK_TRANSFER]++;
		return heap_push(sweep, (struct sweep_change){end, RANK_TRANSFER, -1});
	}
	sweep->running[RANK_WAIT]++;
	const int error = heap_push(sweep, (struct sweep_change){turns, RANK_WAIT, RANK_TRANSFER});
	return error ? error : heap_push(sweep, (struct sweep_change){end, RANK_TRANSFER, -1});
}

int sweep_finish(struct sweep *sweep)
{
	run_until(sweep, INT64_MAX);
	step_cursor_finish(&sweep->steps);
	return sweep->error;
}

void sweep_free(struct sweep *sweep)
{
	free(sweep->heap);
	sweep->heap = NULL;
	sweep->n_heap = sweep->heap_room = 0;
}
