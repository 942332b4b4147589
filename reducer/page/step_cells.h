/* When the steps of a run were, on the clock of all hosts: by the first GPU that has steps. Where a
 * summary keeps steps together (summary/series.h), so many are one cell here too. */
#ifndef PAGE_STEP_CELLS_H
#define PAGE_STEP_CELLS_H

#include "export/scene.h"
#include "summary/summary.h"

struct step_cell {
	int64_t from_ns, to_ns; /* from == to: no step of it is known */
};

struct step_cells {
	struct step_cell *at;
	struct step_cell *own; /* of each device of the run, on its host's clock: all its steps */
	size_t n, room;
	int64_t width; /* steps of a cell */
	uint32_t device;
	bool any;
};

/* 0 or -ENOMEM; step_cells_close() either way. */
int step_cells_open(struct step_cells *cells, const struct summary *summary, size_t n_devices);
/* Takes a step of a device (its index in the run). 0 or -ENOMEM. */
int step_cells_take(struct step_cells *cells, const struct scene *scene, uint32_t device,
					const struct step_place *place);
/* The cell at this time; cells->n: none. */
size_t step_cells_at(const struct step_cells *cells, int64_t ns);
void step_cells_close(struct step_cells *cells);

#endif
