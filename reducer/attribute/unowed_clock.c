#include "attribute/unowed_clock.h"

#include <string.h>

void unowed_clock_forget(struct unowed_clock *clock, int64_t until)
{
	size_t gone = 0;
	while (gone < clock->n && clock->at[gone].to <= until)
		gone++;
	clock->n -= gone;
	memmove(clock->at, clock->at + gone, clock->n * sizeof(*clock->at));
}

int64_t unowed_clock_at(const struct unowed_clock *clock, int64_t at)
{
	size_t low = 0, high = clock->n; /* the spans that began before `at` */
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
	const struct unowed_span *span = &clock->at[low - 1];
	return span->before + (at < span->to ? at : span->to) - span->from;
}
