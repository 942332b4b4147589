#include "conclude/host_speed.h"

#include "base/sort.h"
#include "summary/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_STEPS = 5 };
static const double longer = 1.1, same_calls = 0.02;

/* The series of one kind: those of the straggler first. */
struct rows_of {
	const struct series **own, **others;
	size_t n_own, n_others;
	size_t n_cells; /* that all of them have */
	int64_t width, steps;
};

static void rows_close(struct rows_of *t)
{
	free(t->own);
	free(t->others);
}

static bool is_own(const struct summary *s, const struct straggler *straggler,
				   const struct series *row)
{
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].key == row->device)
			return straggler_has(straggler, s, i);
	return false;
}

static void rows_add(struct rows_of *t, const struct series *row, bool own)
{
	const size_t cells = series_cells(row->steps, row->width);
	if (own)
		t->own[t->n_own++] = row;
	else
		t->others[t->n_others++] = row;
	if (t->width && row->width != t->width) /* of parts that do not fit together: nothing is told */
		t->n_cells = 0;
	else if (t->width == 0 || cells < t->n_cells)
		t->n_cells = cells;
	if (t->width == 0 || row->steps < t->steps)
		t->steps = row->steps;
	t->width = row->width;
}

static int rows_open(struct rows_of *t, const struct summary *s, const struct straggler *straggler,
					 const char *what)
{
	*t = (struct rows_of){0};
	t->own = calloc(s->n_series + 1, sizeof(struct series *));
	t->others = calloc(s->n_series + 1, sizeof(struct series *));
	if (!t->own || !t->others)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_series; i++)
		if (strcmp(summary_text(s, s->series[i].what), what) == 0)
			rows_add(t, &s->series[i], is_own(s, straggler, &s->series[i]));
	return 0;
}

/* The lower median of one cell over the rows that have some; 0: none has. */
static int64_t median_of(const struct series **rows, size_t n, size_t cell, int64_t *room)
{
	size_t some = 0;
	for (size_t i = 0; i < n; i++)
		if (rows[i]->ns[cell] > 0)
			room[some++] = rows[i]->ns[cell];
	return some ? figures_median(room, some) : 0;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Think times, cell by cell. */
static void compare_think(const struct rows_of *t, int64_t *room, double *times,
						  struct host_speed *speed)
{
	size_t n = 0, above = 0;
	for (size_t cell = 0; cell < t->n_cells; cell++) {
		const int64_t own = median_of(t->own, t->n_own, cell, room);
		const int64_t others = median_of(t->others, t->n_others, cell, room);
		if (own == 0 || others == 0)
			continue;
		times[n] = (double)own / (double)others;
		above += times[n++] > longer;
	}
	if (n == 0)
		return;
	sort_rows(times, n, sizeof(*times), by_size);
	speed->times = times[(n - 1) / 2];
	speed->steps = (int64_t)n * t->width < t->steps ? (int64_t)n * t->width : t->steps;
	speed->in = (int64_t)above * t->width < t->steps ? (int64_t)above * t->width : t->steps;
	speed->slower = n >= LEAST_STEPS && 4 * above >= 3 * n;
}

/* The calls of the median step, of it and of the others. */
static void compare_calls(const struct rows_of *t, int64_t *room, int64_t *by_cell,
						  struct host_speed *speed)
{
	for (size_t cell = 0; cell < t->n_cells; cell++)
		by_cell[cell] = median_of(t->own, t->n_own, cell, room);
	speed->calls = t->n_cells ? figures_median(by_cell, t->n_cells) / t->width : 0;
	for (size_t cell = 0; cell < t->n_cells; cell++)
		by_cell[cell] = median_of(t->others, t->n_others, cell, room);
	speed->others_calls = t->n_cells ? figures_median(by_cell, t->n_cells) / t->width : 0;
}

int host_speed_of(const struct summary *summary, const struct straggler *straggler,
				  struct host_speed *speed)
{
	struct rows_of think = {0}, calls = {0};
	*speed = (struct host_speed){0};
	int error = rows_open(&think, summary, straggler, SERIES_THINK);
	if (!error)
		error = rows_open(&calls, summary, straggler, SERIES_CALLS);
	int64_t *room = malloc((summary->n_series + 1) * sizeof(*room));
	int64_t *cells = malloc((calls.n_cells + 1) * sizeof(*cells));
	double *times = malloc((think.n_cells + 1) * sizeof(*times));
	if (!room || !cells || !times)
		error = -ENOMEM;
	if (!error && think.n_own && think.n_others) {

		compare_think(&think, room, times, speed);
		compare_calls(&calls, room, cells, speed);
	}
	const double more =
		speed->others_calls ? fabs((double)speed->calls / (double)speed->others_calls - 1) : 1;
	speed->slower = speed->slower && more <= same_calls;
	free(room);
	free(cells);
	free(times);
	rows_close(&think);
	rows_close(&calls);
	return error;
}

bool host_speed_more_calls(const struct host_speed *speed)
{
	return speed->others_calls > 0 &&
		   (double)speed->calls > (1 + same_calls) * (double)speed->others_calls;
}
