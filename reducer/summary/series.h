/* A number for each counted step of a device, as a summary keeps it: up to SERIES_CELLS numbers.
 * Where there are more steps a cell is the sum of `width` neighbours, a power of two. */
#ifndef SUMMARY_SERIES_H
#define SUMMARY_SERIES_H

#include "summary/rows.h"

enum { SERIES_CELLS = 4096, SERIES_CELLS_LEAST = 256 };

/* What a series is of, beside the names of leaves: how long the steps are (rank -1, like a leaf's);
 * what the members of collectives waited for a rank that came last; of the rank whose process marks
 * the steps its median think time and its GPU-driving calls (attribute/think.h); the bytes that the
 * device sends to single ranks and receives from them. */
#define SERIES_STEP "step"
#define SERIES_CAUSED "caused"
#define SERIES_THINK "think"
#define SERIES_CALLS "calls"
#define SERIES_SENT "sent"

/* How many cells so many steps have at this width. */
static inline size_t series_cells(int64_t steps, int64_t width)
{
	return (size_t)((steps + width - 1) / width);
}
/* The least width at which there are at most `most` cells. */
int64_t series_width(int64_t steps, size_t most);
/* The most cells that each device of a run of `devices` has: fewer where there are many devices. */
size_t series_most(size_t devices);

/* Adds the cells to a row that has the same key; the coarser width holds. 0 or -ENOMEM. */
int series_merge(struct series *into, const struct series *from);
/* Makes cells of neighbours one until there are at most `most`. */
void series_coarsen(struct series *series, size_t most);
/* A row that is stored: do steps and width fit together? */
bool series_ok(const struct series *series);

#endif
