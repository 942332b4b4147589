#include "page/step_cells.h"

#include "base/room.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int step_cells_open(struct step_cells *cells, const struct summary *summary, size_t n_devices)
{
	*cells = (struct step_cells){.width = 1};
	for (size_t i = 0; i < summary->n_series; i++) {
		const struct series *row = &summary->series[i];
		if (row->rank == -1 && strcmp(summary_text(summary, row->what), SERIES_STEP) == 0)
			cells->width = row->width > cells->width ? row->width : cells->width;
	}
	cells->own = calloc(n_devices + 1, sizeof(*cells->own));
	return cells->own ? 0 : -ENOMEM;
}

static void widen(struct step_cell *cell, int64_t from_ns, int64_t to_ns)
{
	const bool first = cell->from_ns == cell->to_ns;
	cell->from_ns = first || from_ns < cell->from_ns ? from_ns : cell->from_ns;
	cell->to_ns = first || to_ns > cell->to_ns ? to_ns : cell->to_ns;
}

int step_cells_take(struct step_cells *cells, const struct scene *scene, uint32_t device,
					const struct step_place *place)
{
	const size_t i = (size_t)(place->step / cells->width);
	const uint32_t process = scene->run.devices[device].processes[0];
	if (place->step < 0)
		return 0;
	widen(&cells->own[device], place->window_from, place->window_to);
	if (cells->any && device != cells->device)
		return 0;
	cells->any = true;
	cells->device = device;
	const int error = room_reach((void **)&cells->at, &cells->room, i, sizeof(*cells->at));
	if (error)
		return error;
	const int64_t from = scene_time(scene, process, place->window_from);
	widen(&cells->at[i], from, from + (place->window_to - place->window_from));
	cells->n = i >= cells->n ? i + 1 : cells->n;
	return 0;
}

size_t step_cells_at(const struct step_cells *cells, int64_t ns)
{
	size_t low = 0, high = cells->n; /* the cells before `low` end at or before ns */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (cells->at[middle].to_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cells->n && cells->at[low].from_ns <= ns ? low : cells->n;
}

void step_cells_close(struct step_cells *cells)
{
	free(cells->at);
	free(cells->own);
}
