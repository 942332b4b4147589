#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_OF_RUN = SERIES_CELLS * 64 };

int64_t series_width(int64_t steps, size_t most)
{
	int64_t width = 1;
	while (series_cells(steps, width) > most)
		width *= 2;
	return width;
}

size_t series_most(size_t devices)
{
	size_t most = SERIES_CELLS;
	while (most > SERIES_CELLS_LEAST && most * devices > CELLS_OF_RUN)
		most /= 2;
	return most;
}

bool series_ok(const struct series *s)
{
	return (s->width & (s->width - 1)) == 0 && series_cells(s->steps, s->width) <= SERIES_CELLS;
}

int series_merge(struct series *into, const struct series *from)
{
	const bool fresh = !into->ns; /* its fields are a copy of the other's */
	struct series sum = {.steps = from->steps, .width = from->width};
	if (!fresh && into->steps > sum.steps)
		sum.steps = into->steps;
	if (!fresh && into->width > sum.width)
		sum.width = into->width;
	sum.ns = calloc(series_cells(sum.steps, sum.width), sizeof(*sum.ns));
	if (!sum.ns)
		return -ENOMEM;
	const struct series *parts[] = {from, into};
	for (int part = 0; part < (fresh ? 1 : 2); part++)
		for (size_t i = 0; i < series_cells(parts[part]->steps, parts[part]->width); i++)
			sum.ns[(int64_t)i * parts[part]->width / sum.width] += parts[part]->ns[i];
	free(into->ns);
	into->steps = sum.steps;
	into->width = sum.width;
	into->ns = sum.ns;
	return 0;
}

void series_coarsen(struct series *s, size_t most)
{
	const int64_t width = series_width(s->steps, most);
	const size_t n = series_cells(s->steps, s->width);
	if (width <= s->width)
		return;
	for (size_t i = 0; i < n; i++) {
		const size_t to = (size_t)((int64_t)i * s->width / width);
		const int64_t ns = s->ns[i];
		s->ns[i] = 0;
		s->ns[to] += ns;
	}
	s->width = width;
}
