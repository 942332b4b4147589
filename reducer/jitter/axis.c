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

struct begun { /* a step of a device */
	int64_t number, begin_ns;
};

static int by_number(const void *a, const void *b)
{
	const struct begun *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static size_t take_steps(struct begun *to, const struct step_axis *axis,
						 const struct device_scan *scan)
{
	const int32_t n = steps_of(scan);
	for (int32_t i = 0; i < n; i++)
		to[i] = (struct begun){step_axis_number(axis, scan, i), scan->hull_from};
	for (size_t m = 0; m < scan->steps.n_markers; m++) {
		const struct marker *marker = &scan->steps.markers[m];
		if (marker->step >= 0 && marker->step < n)
			to[marker->step].begin_ns = marker->begin_ns;
	}
	return (size_t)n;
}

/* Keeps numbers in the range that at least two of the scans have, or the only one. */
static void keep_numbers(struct step_axis *axis, const struct begun *all, size_t n_all,
						 const struct step_range *range)
{
	for (size_t i = 0, end; i < n_all; i = end) {
		const struct begun *first = &all[i];
		for (end = i + 1; end < n_all && all[end].number == first->number;)
			end++;
		if (first->number < range->from || first->number > range->to ||
			first->begin_ns < range->from_ns || first->begin_ns >= range->to_ns)
			continue;
		axis->uneven |= end - i < axis->n_scans;
		if (axis->n_scans < 2 || end - i >= 2)
			axis->number[axis->n++] = first->number;
	}
}

int step_axis_open(struct step_axis *axis, const struct device_scan *scans, size_t n,
				   const struct step_range *range)
{
	size_t room = 1, all = 0;
	memset(axis, 0, sizeof(*axis));
	axis->numbered = true;
	for (size_t d = 0; d < n; d++) {
		axis->numbered &= is_numbered(&scans[d]);
		room += (size_t)steps_of(&scans[d]);
		axis->n_scans += !scans[d].empty;
	}
	struct begun *begun = malloc(room * sizeof(*begun));
	axis->number = malloc(room * sizeof(*axis->number));
	if (begun && axis->number) {
		for (size_t d = 0; d < n; d++)
			if (!scans[d].empty)
				all += take_steps(begun + all, axis, &scans[d]);
		sort_rows(begun, all, sizeof(*begun), by_number);
		keep_numbers(axis, begun, all, range);
	}
	const int error = begun && axis->number ? 0 : -ENOMEM;
	free(begun);
	return error;
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
