#include "jitter/axis.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int32_t steps_of(const struct device_scan *scan)
{
	return scan->empty ? 0 : scan->steps.n_steps ? scan->steps.n_steps : 1;
}

/* Has each step a number, each a larger one than the step before? */
static bool is_numbered(const struct device_scan *scan)
{
	int64_t last = -1;
	if (scan->empty)
		return true;
	for (int32_t i = 0; i < scan->steps.n_steps; i++) {
		const int64_t number = steps_number(&scan->steps, i);
		if (number <= last)
			return false;
		last = number;
	}
	return scan->steps.n_steps > 0;
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void list_numbers(struct step_axis *axis, const struct device_scan *scans, size_t n)
{
	size_t all = 0;
	for (size_t d = 0; d < n; d++)
		for (int32_t i = 0; i < steps_of(&scans[d]); i++)
			axis->number[all++] = step_axis_number(axis, &scans[d], i);
	sort_rows(axis->number, all, sizeof(*axis->number), by_number);
	for (size_t i = 0; i < all; i++)
		if (axis->n == 0 || axis->number[axis->n - 1] != axis->number[i])
			axis->number[axis->n++] = axis->number[i];
}

int step_axis_open(struct step_axis *axis, const struct device_scan *scans, size_t n)
{
	size_t all = 0;
	int32_t least = INT32_MAX, most = 0;
	memset(axis, 0, sizeof(*axis));
	axis->numbered = true;
	for (size_t d = 0; d < n; d++) {
		const int32_t steps = steps_of(&scans[d]);
		axis->numbered &= is_numbered(&scans[d]);
		all += (size_t)steps;
		least = !scans[d].empty && steps < least ? steps : least;
		most = steps > most ? steps : most;
	}
	axis->uneven = most > 0 && least < most;
	axis->number = malloc((all + 1) * sizeof(*axis->number));
	if (!axis->number)
		return -ENOMEM;
	list_numbers(axis, scans, n);
	return 0;
}

void step_axis_close(struct step_axis *axis)
{
	free(axis->number);
	memset(axis, 0, sizeof(*axis));
}

int64_t step_axis_number(const struct step_axis *axis, const struct device_scan *scan, int32_t step)
{
	return axis->numbered ? steps_number(&scan->steps, step) : step;
}

uint32_t step_axis_find(const struct step_axis *axis, int64_t number)
{
	uint32_t low = 0, high = axis->n;
	while (low + 1 < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (axis->number[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}
