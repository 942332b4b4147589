#include "import/kineto/kineto_optimizer.h"

#include "base/room.h"
#include "base/sort.h"
#include "import/trace_out.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 120 };
#define STEP "Optimizer.step#"
#define STEP_END ".step"
#define BACKWARD "autograd::engine::evaluate_function"

struct optimizer_step {
	int64_t begin_ns, end_ns;
	uint32_t thread;
	char name[NAME_BYTES]; /* of the class */
};

static bool begins_with(const char *name, size_t bytes, const char *with)
{
	const size_t n = strlen(with);
	return bytes >= n && memcmp(name, with, n) == 0;
}

/* "Optimizer.step#SGD.step" is a step of SGD. */
static void take_class(struct optimizer_step *step, const char *name, size_t bytes)
{
	const size_t end = sizeof(STEP_END) - 1;
	name += sizeof(STEP) - 1;
	bytes -= sizeof(STEP) - 1;
	if (bytes > end && memcmp(name + bytes - end, STEP_END, end) == 0)
		bytes -= end;
	bytes = bytes < NAME_BYTES ? bytes : NAME_BYTES - 1;
	memcpy(step->name, name, bytes);
	step->name[bytes] = 0;
}

void kineto_optimizers_range(struct kineto_optimizers *o, const char *name, size_t bytes,
							 const int64_t span[2], uint32_t thread)
{
	if (begins_with(name, bytes, BACKWARD)) {
		if (room_for((void **)&o->backward_ns, o->n_backward, &o->backward_room, 256,
					 sizeof(*o->backward_ns)) == 0)
			o->backward_ns[o->n_backward++] = span[0];
		return;
	}
	if (!begins_with(name, bytes, STEP) ||
		room_for((void **)&o->steps, o->n_steps, &o->steps_room, 16, sizeof(*o->steps)) != 0)
		return;
	struct optimizer_step *step = &o->steps[o->n_steps++];
	*step = (struct optimizer_step){.begin_ns = span[0], .end_ns = span[1], .thread = thread};
	take_class(step, name, bytes);
}

static int by_thread_and_end(const void *a, const void *b)
{
	const struct optimizer_step *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static int by_time(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Does a node of a backward pass begin in [from, to)? */
static bool has_backward(const struct kineto_optimizers *o, int64_t from, int64_t to)
{
	size_t low = 0, high = o->n_backward;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (o->backward_ns[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->n_backward && o->backward_ns[low] < to;
}

static bool is_again(const struct kineto_optimizers *o, size_t i)
{
	const struct optimizer_step *step = &o->steps[i], *before = i ? step - 1 : NULL;
	if (!before || before->thread != step->thread)
		return false;
	return step->begin_ns < before->end_ns ||
		   (o->n_backward && !has_backward(o, before->end_ns, step->begin_ns));
}

void kineto_optimizers_write(struct kineto_optimizers *o, struct trace_out *out)
{
	if (o->n_steps == 0)
		return;
	sort_rows(o->steps, o->n_steps, sizeof(*o->steps), by_thread_and_end);
	if (o->n_backward)
		sort_rows(o->backward_ns, o->n_backward, sizeof(*o->backward_ns), by_time);
	for (size_t i = 0; i < o->n_steps; i++) {
		const struct optimizer_step *step = &o->steps[i];
		int64_t row[BATON_MAX_COLUMNS] = {[ROW_START] = step->end_ns,
										  [RANGE_THREAD] = step->thread,
										  [RANGE_CATEGORY] = BATON_RANGE_OPTIMIZER};
		uint32_t present = 0;
		row[RANGE_NAME] = trace_out_string(out, step->name, strlen(step->name));
		if (is_again(o, i)) {
			row[RANGE_DOMAIN] = trace_out_string(out, "again", 5);
			present = 1u << RANGE_DOMAIN;
		}
		trace_out_row(out, BATON_RANGE, row, present);
	}
}

void kineto_optimizers_free(struct kineto_optimizers *o)
{
	free(o->steps);
	free(o->backward_ns);
	*o = (struct kineto_optimizers){0};
}
