#include "page/step_lengths.h"

#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cell {
	int64_t least, most;
	__int128 sum;
	size_t devices, most_device;
};

static bool is_step(const struct summary *s, const struct series *row)
{
	return row->rank == -1 && row->steps > 0 &&
		   strcmp(summary_text(s, row->what), SERIES_STEP) == 0;
}

static size_t place_of(const struct summary *s, uint32_t device)
{
	size_t i = 0;
	while (i < s->n_devices && s->devices[i].key != device)
		i++;
	return i;
}

/* One device; its cells become as wide as the widest device's. */
static void add_row(struct cell *cells, const struct series *row, int64_t width, size_t device)
{
	const size_t n = series_cells(row->steps, row->width), each = (size_t)(width / row->width);
	for (size_t i = 0; i < n; i += each) {
		struct cell *cell = &cells[i / each];
		const int64_t left = row->steps - (int64_t)(i / each) * width;
		__int128 sum = 0;
		for (size_t k = i; k < n && k < i + each; k++)
			sum += row->ns[k];
		const int64_t ns = (int64_t)(sum / (left < width ? left : width));
		if (cell->devices == 0 || ns < cell->least)
			cell->least = ns;
		if (cell->devices == 0 || ns > cell->most) {
			cell->most = ns;
			cell->most_device = device;
		}
		cell->sum += ns;
		cell->devices++;
	}
}

enum column { LEAST, MEAN, MOST, MOST_DEVICE, COLUMNS };

static void put_column(struct json *j, enum column column, const struct cell *cells, size_t n)
{
	static const char *const names[COLUMNS] = {"least_ns", "mean_ns", "most_ns", "most_device"};
	json_array(j, names[column]);
	for (size_t i = 0; i < n; i++) {
		const struct cell *c = &cells[i];
		const int64_t values[COLUMNS] = {c->least, (int64_t)(c->sum / (int64_t)c->devices), c->most,
										 (int64_t)c->most_device};
		json_number(j, NULL, values[column]);
	}
	json_end_array(j);
}

int step_lengths_put(struct json *j, const struct summary *s)
{
	int64_t width = 1, steps = 0;
	for (size_t i = 0; i < s->n_series; i++)
		if (is_step(s, &s->series[i])) {
			width = s->series[i].width > width ? s->series[i].width : width;
			steps = s->series[i].steps > steps ? s->series[i].steps : steps;
		}
	const size_t n = series_cells(steps, width);
	struct cell *cells = calloc(n + 1, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_series; i++)
		if (is_step(s, &s->series[i]))
			add_row(cells, &s->series[i], width, place_of(s, s->series[i].device));
	json_number(j, "width", width);
	for (int column = 0; column < COLUMNS; column++)
		put_column(j, (enum column)column, cells, n);
	free(cells);
	return 0;
}
