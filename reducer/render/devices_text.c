#include "render/devices_text.h"

#include "conclude/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_OF = 32, MOST_DIFFERENT = 16, CELLS = 7 };

struct device_row {
	size_t device;
	int64_t ns[CELLS]; /* per step: the window, then its parts */
	int64_t differs;   /* from the median of any part, the most */
};

static void fill(const struct summary *s, struct device_row *rows)
{
	static const uint64_t parts[] = {LEAVES_WORK, LEAVES_NCCL, LEAVES_CPU,
									 LEAVES_HOST, LEAVES_GPU,  LEAVES_UNKNOWN};
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		rows[i] = (struct device_row){.device = i};
		rows[i].ns[0] = d->steps ? d->window_ns / d->steps : 0;
		for (int c = 1; c < CELLS; c++)
			rows[i].ns[c] = figures_device_time(d, parts[c - 1]);
	}
}

static void print_row(const struct screen *screen, const char *name, const char *rank,
					  const struct device_row *row)
{
	struct text_buffer cells[CELLS];
	const char *texts[CELLS];
	for (int c = 0; c < CELLS; c++)
		texts[c] = text_ms(screen, row->ns[c], &cells[c]);
	screen_line(screen, "%-24s %5s %9s %9s %9s %9s %9s %9s %9s", name, rank, texts[0], texts[1],
				texts[2], texts[3], texts[4], texts[5], texts[6]);
}

static void print_device(const struct screen *screen, const struct summary *s,
						 const struct device_row *row)
{
	const struct device_summary *d = &s->devices[row->device];
	struct text_buffer name;
	char rank[16] = "-";
	if (d->n_processes && d->ranks[0] >= 0)
		snprintf(rank, sizeof(rank), "%d", d->ranks[0]);
	print_row(screen, text_device(summary_text(s, d->key), 24, &name), rank, row);
}

static int by_difference(const void *a, const void *b)
{
	const struct device_row *x = a, *y = b;
	if (x->differs != y->differs)
		return x->differs > y->differs ? -1 : 1;
	return x->device < y->device ? -1 : x->device > y->device;
}

/* The median of each column is a row of its own; the devices come by how far they are from it. */
static bool compare(struct device_row *rows, size_t n, struct device_row *median)
{
	int64_t *values = malloc(n * sizeof(*values));
	if (!values)
		return false;
	for (int c = 0; c < CELLS; c++) {
		for (size_t i = 0; i < n; i++)
			values[i] = rows[i].ns[c];
		median->ns[c] = figures_median(values, n);
		for (size_t i = 0; i < n; i++) {
			int64_t differs = llabs(rows[i].ns[c] - median->ns[c]);
			rows[i].differs = differs > rows[i].differs ? differs : rows[i].differs;
		}
	}
	free(values);
	qsort(rows, n, sizeof(*rows), by_difference);
	return true;
}

void devices_text(const struct screen *screen, const struct summary *s, const char *per)
{
	struct device_row median, *rows = malloc((s->n_devices + 1) * sizeof(*rows));
	size_t n = s->n_devices <= ALL_OF ? s->n_devices : MOST_DIFFERENT;
	if (s->n_devices < 2 || !rows) {
		free(rows);
		return;
	}
	fill(s, rows);
	screen_line(screen, "%s", "");
	screen_title(screen, "%-24s %5s %9s %9s %9s %9s %9s %9s %9s", "Devices, ms", "rank", per,
				 "work", "nccl", "launch", "host", "gpu", "unknown");
	if (n < s->n_devices && compare(rows, s->n_devices, &median))
		print_row(screen, "median", "", &median);
	for (size_t i = 0; i < n; i++)
		print_device(screen, s, &rows[i]);
	if (n < s->n_devices)
		screen_line(screen, "  those %zu of %zu differ most from the median (--json has all)", n,
					s->n_devices);
	free(rows);
}
