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

/* Keeps numbers in the range that at least two of the scans have, or the only one. */
static void keep_numbers(struct step_axis *axis, size_t all, size_t scans,
						 const struct step_range *range)
{
	for (size_t i = 0, end; i < all; i = end) {
		const int64_t number = axis->number[i];
		for (end = i + 1; end < all && axis->number[end] == number;)
			end++;
		if (number < range->from || number > range->to)
			continue;
		axis->uneven |= end - i < scans;
		if (scans < 2 || end - i >= 2)
			axis->number[axis->n++] = number;
	}
}

int step_axis_open(struct step_axis *axis, const struct device_scan *scans, size_t n,
				   const struct step_range *range)
{
	size_t room = 1, all = 0, with_steps = 0;
	memset(axis, 0, sizeof(*axis));
	axis->numbered = true;
	for (size_t d = 0; d < n; d++) {
		axis->numbered &= is_numbered(&scans[d]);
		room += (size_t)steps_of(&scans[d]);
		with_steps += !scans[d].empty;
	}
	axis->number = malloc(room * sizeof(*axis->number));
	if (!axis->number)
		return -ENOMEM;
	for (size_t d = 0; d < n; d++)
		for (int32_t i = 0; i < steps_of(&scans[d]); i++)
			axis->number[all++] = step_axis_number(axis, &scans[d], i);
	sort_rows(axis->number, all, sizeof(*axis->number), by_number);
	keep_numbers(axis, all, with_steps, range);
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
	return axis->n && axis->number[low] == number ? low : axis->n;
}
