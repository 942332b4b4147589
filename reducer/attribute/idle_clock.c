#include "attribute/idle_clock.h"

#include <string.h>

bool idle_clock_full(const struct idle_clock *clock)
{
	return clock->n == IDLE_CLOCK_GAPS;
}

void idle_clock_add(struct idle_clock *clock, int64_t from, int64_t to)
{
	clock->at[clock->n++] = (struct idle_gap){from, to, clock->total};
	clock->total += to - from;
}

void idle_clock_forget(struct idle_clock *clock, int64_t until)
{
	size_t gone = 0;
	while (gone < clock->n && clock->at[gone].to <= until)
		gone++;
	clock->n -= gone;
	memmove(clock->at, clock->at + gone, clock->n * sizeof(*clock->at));
}

int64_t idle_clock_at(const struct idle_clock *clock, int64_t at)
{
	size_t low = 0, high = clock->n; /* the gaps that began before `at` */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (clock->at[middle].from < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (at < clock->first)
		return at - clock->first;
	if (low == 0)
		return clock->n ? clock->at[0].before : clock->total;
	const struct idle_gap *gap = &clock->at[low - 1];
	return gap->before + (at < gap->to ? at : gap->to) - gap->from;
}
