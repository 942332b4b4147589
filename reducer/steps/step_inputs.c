#include "steps/step_inputs.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_ROOM = 256 };

int step_inputs_add(struct input_copies *copies, int64_t launch_ns)
{
	if (room_for((void **)&copies->at, copies->n, &copies->room, FIRST_ROOM, sizeof(*copies->at)))
		return -ENOMEM;
	copies->at[copies->n++] = launch_ns;
	return 0;
}

void step_inputs_free(struct input_copies *copies)
{
	free(copies->at);
	*copies = (struct input_copies){0};
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

void step_inputs_sort(struct input_copies *copies)
{
	sort_rows(copies->at, copies->n, sizeof(*copies->at), by_time);
}

/* The last launch of a kernel before `ns`; INT64_MIN: none. */
static int64_t kernel_before(const struct launch_mark *marks, size_t n, int64_t ns)
{
	const size_t place = sequence_place(marks, n, ns);
	return place ? marks[place - 1].launch_ns : INT64_MIN;
}

/* The first copy after `ns`; INT64_MAX: none. */
static int64_t copy_after(const struct input_copies *copies, int64_t ns)
{
	size_t low = 0, high = copies->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (copies->at[middle] <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < copies->n ? copies->at[low] : INT64_MAX;
}

int step_inputs_take(const struct input_copies *copies, const struct launch_mark *marks,
					 size_t n_marks, const struct graph_launches *graphs, int64_t *begins, size_t n)
{
	int64_t *launches = malloc((graphs->n + 1) * sizeof(*launches)), graph_ns = INT64_MIN;
	if (!launches)
		return -ENOMEM;
	for (size_t i = 0; i < graphs->n; i++)
		launches[i] = graphs->at[i].launch_ns;
	sort_rows(launches, graphs->n, sizeof(*launches), by_time);
	for (size_t i = 0, g = 0; i < n; i++) {
		for (; g < graphs->n && launches[g] < begins[i]; g++)
			graph_ns = launches[g];
		const int64_t kernel_ns = kernel_before(marks, n_marks, begins[i]);
		const int64_t last_ns = kernel_ns > graph_ns ? kernel_ns : graph_ns;
		const int64_t copy_ns = copy_after(copies, last_ns);
		if (last_ns != INT64_MIN && copy_ns < begins[i] && (i == 0 || copy_ns > begins[i - 1]))
			begins[i] = copy_ns;
	}
	free(launches);
	return 0;
}
