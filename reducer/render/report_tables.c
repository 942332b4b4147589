#include "render/report_tables.h"

#include "base/sort.h"
#include "classify/demangle.h"
#include "conclude/copies.h"
#include "render/columns.h"
#include "conclude/finding_text.h"
#include "conclude/time_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NCCL_ROWS = 10,
	ALL_OF = 32,         /* devices: all of so many, ... */
	MOST_DIFFERENT = 16, /* ... of more so many */
	CELLS = 7
};

/* Of all devices: what a mean divides by. */
static int64_t all_steps(const struct summary *s)
{
	int64_t steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? s->devices[i].steps : 1;
	return steps;
}

/* ---- where a step goes ---- */

/* Copies that leave the device are in a row of their own. */
static int64_t in_another_row(const struct summary *s, const char *class)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->n_copies && strcmp(class, "memory.memcpy") == 0; i++)
		sum += s->copies[i].total_ns;
	return sum;
}

/* "attention 61 %", with what stands there before. */
static void add_part(const char *name, int64_t part, int64_t all, char *out, size_t bytes)
{
	const size_t used = strlen(out);
	snprintf(out + used, bytes - used, "%s%s %.0f %%", used ? ", " : "", name,
			 text_percent(part, all));
}

/* "attention 61 %, pointwise 39 %": the largest classes of a group. Their durations may overlap, so
 * they are told as parts of the sum, not as parts of the step. */
static void largest_classes(const struct report *r, const char *prefix, char *out, size_t bytes)
{
	const struct summary *s = &r->reduction->summary;
	const char *names[64];
	int64_t sums[64];
	size_t n = 0;
	int64_t all = 0;
	for (size_t i = 0; i < s->n_kernels; i++) {
		const char *class = summary_text(s, s->kernels[i].class_name);
		size_t k = 0;
		if (strncmp(class, prefix, strlen(prefix)) != 0)
			continue;
		while (k < n && strcmp(names[k], class) != 0)
			k++;
		if (k == n && n < 64) {
			names[n] = class;
			sums[n++] = -in_another_row(s, class);
		}
		if (k < 64)
			sums[k] += s->kernels[i].total_ns;
	}
	for (size_t k = 0; k < n; k++)
		all += sums[k] > 0 ? sums[k] : 0;
	out[0] = 0;
	for (int shown = 0; shown < 3; shown++) {
		size_t best = n;
		for (size_t k = 0; k < n; k++)
			if (sums[k] > 0 && (best == n || sums[k] > sums[best]))
				best = k;
		if (best == n || 200 * (__int128)sums[best] < all)
			break; /* none is left that is 0.5 % of the group */
		add_part(names[best] + strlen(prefix), sums[best], all, out, bytes);
		sums[best] = 0;
	}
}

/* "host to GPU 61 %, GPU to host 39 %": of all their durations, the overlapped part included. */
static void copies_note(const struct summary *s, char *note, size_t bytes)
{
	struct copies_way ways[COPIES_WAYS];
	const size_t n = copies_by_way(s, 0, ways);
	int64_t all = 0;
	for (size_t i = 0; i < n; i++)
		all += ways[i].total_ns;
	for (size_t i = 0; i < n && i < 3 && 200 * (__int128)ways[i].total_ns >= all && all > 0; i++)
		add_part(ways[i].words, ways[i].total_ns, all, note, bytes);
}

/* Wait and transfer only of what was split: a zero would be a claim. */
static void nccl_note(const struct screen *screen, const struct report *r, char *note, size_t bytes)
{
	const struct figures *f = r->figures;
	const int64_t wait = f->time_ns[LEAF_NCCL_WAIT], transfer = f->time_ns[LEAF_NCCL_TRANSFER];
	const int64_t unsplit = f->time_ns[LEAF_NCCL_UNSPLIT];
	struct text_buffer a, b, c;
	text_ms(screen, f->hidden_ns, &c);
	if (unsplit > 0 && wait == 0 && transfer == 0)
		snprintf(note, bytes, "%s hidden; waiting and transfer are not separated: %s", c.at,
				 finding_unsplit_reason(&r->reduction->summary));
	else
		snprintf(note, bytes, "wait %s, transfer %s; %s hidden", text_ms(screen, wait, &a),
				 text_ms(screen, transfer, &b), c.at);
	if (unsplit > 0 && wait + transfer > 0) {
		size_t used = strlen(note);
		snprintf(note + used, bytes - used, "; %s not separated: %s", text_ms(screen, unsplit, &a),
				 finding_unsplit_reason(&r->reduction->summary));
	}
}

static void row_note(const struct screen *screen, const struct report *r, enum time_row_id row,
					 char *note, size_t bytes)
{
	note[0] = 0;
	if (row == TIME_WORK_CUSTOM)
		largest_classes(r, "custom.", note, bytes);
	if (row == TIME_WORK_MEMORY)
		largest_classes(r, "memory.", note, bytes);
	if (row == TIME_COPY_EXPOSED)
		copies_note(&r->reduction->summary, note, bytes);
	if (row == TIME_NCCL)
		nccl_note(screen, r, note, bytes);
}

void partition_table(const struct screen *screen, const struct report *r)
{
	static const struct column columns[] = {
		{"", 2, 20, COLUMN_LEFT}, /* a row below a heading is set in by two */
		{"", 1, 9, COLUMN_RIGHT},
		{"", 1, 7, COLUMN_LEFT},
		{"", 2, 0, COLUMN_LEFT},
	};
	const struct figures *f = r->figures;
	struct columns table;
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	screen_line(screen, "%s", "");
	screen_title(screen, "Where a %s goes, ms, mean of %u GPU%s", finding_per(f), f->devices,
				 f->devices == 1 ? "" : "s");
	for (int i = 0; i < TIME_ROWS; i++) {
		const struct time_row *row = &time_tree[i];
		const bool heading = row->level == TIME_HEAD;
		const int64_t ns = figures_time(f, row->leaves);
		const double share = text_percent(ns, f->step_ns);
		char note[200];
		struct text_buffer bar, ms;
		if (row->level == TIME_PART || strtod(text_ms(screen, ns, &ms), NULL) == 0)
			continue; /* too little to show */
		row_note(screen, r, (enum time_row_id)i, note, sizeof(note));
		columns_cell(&table, "%s%s", heading ? "" : "  ", row->label);
		columns_ms(&table, ns);
		columns_cell(&table, "%5.1f%s", share, heading ? " %" : "");
		columns_cell(&table, "%s", heading ? text_bar(share / 100, &bar) : note);
		columns_end(&table, heading ? COLUMNS_BOLD : COLUMNS_WRAPPED);
	}
	columns_cell(&table, "sum");
	columns_ms(&table, f->step_ns);
	columns_cell(&table, "100.0 %%");
	columns_end(&table, COLUMNS_PLAIN);
}

/* ---- kernels ---- */

/* "void f<...>(...)" -> "f<...>(...)" */
static const char *without_return_type(const char *name)
{
	return strncmp(name, "void ", 5) == 0 ? name + 5 : name;
}

void kernels_table(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct figures *f = r->figures;
	const int64_t steps = all_steps(s);
	const int name_room = screen->width > 80 ? screen->width - 56 : 24;
	const struct column columns[] = {
		{"Kernels", 0, name_room, COLUMN_LEFT},
		{"class", 1, 18, COLUMN_LEFT},
		{f->has_steps ? "calls/step" : "calls", 1, 10, COLUMN_RIGHT},
		{f->has_steps ? "ms/step" : "ms", 1, 9, COLUMN_RIGHT},
		{"%", 1, 5, COLUMN_RIGHT},
		{"p50 us", 1, 8, COLUMN_RIGHT},
	};
	struct columns table;
	if (s->n_kernels == 0 || steps == 0)
		return;
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	screen_line(screen, "%s", "");
	columns_heads(&table);
	for (size_t i = 0; i < s->n_kernels && (r->kernels == 0 || i < r->kernels); i++) {
		const struct kernel_summary *k = &s->kernels[i];
		struct text_buffer name;
		char readable[1024];
		demangle(summary_text(s, k->name), readable, sizeof(readable));
		columns_cell(&table, "%s",
					 text_cut(without_return_type(readable), (size_t)name_room, &name));
		columns_cell(&table, "%s", summary_text(s, k->class_name));
		columns_cell(&table, "%.1f", (double)k->count / (double)steps);
		columns_ms(&table, k->total_ns / steps);
		columns_cell(&table, "%.1f", text_percent(k->total_ns / steps, f->step_ns));
		columns_cell(&table, "%.1f", (double)counts_percentile(&k->dur_ns, 50) / 1e3);
		columns_end(&table, COLUMNS_PLAIN);
	}
}

/* ---- NCCL ---- */

static void nccl_row(struct columns *table, const struct summary *s, const struct nccl_summary *n)
{
	const int64_t steps = all_steps(s) > 0 ? all_steps(s) : 1;
	const double busbw = figures_busbw_gbps(s, n);
	struct text_buffer bytes;
	columns_cell(table, "%s", summary_text(s, n->op));
	if (n->members)
		columns_cell(table, "%u", n->members);
	else
		columns_cell(table, "?");
	columns_cell(table, "%s", n->bytes < 0 ? "?" : text_thousands(n->bytes, &bytes));
	columns_cell(table, "%.1f", (double)n->count / (double)steps);
	columns_ms(table, n->transfer_ns / steps);
	columns_ms(table, n->wait_ns / steps);
	columns_ms(table, n->unsplit_ns / steps);
	if (n->reason)
		columns_cell(table, "%s", summary_text(s, n->reason));
	else if (!isnan(busbw))
		columns_cell(table, "%.1f GB/s", busbw);
	columns_end(table, COLUMNS_PLAIN);
}

void nccl_table(const struct screen *screen, const struct report *r)
{
	const bool per_step = r->figures->has_steps;
	const struct column columns[] = {
		{per_step ? "NCCL, ms/step" : "NCCL, ms", 0, 15, COLUMN_LEFT},
		{"ranks", 1, 5, COLUMN_RIGHT},
		{"bytes", 1, 14, COLUMN_RIGHT},
		{per_step ? "calls/step" : "calls", 1, 10, COLUMN_RIGHT},
		{"transfer", 1, 9, COLUMN_RIGHT},
		{"wait", 1, 9, COLUMN_RIGHT},
		{"unsplit", 1, 9, COLUMN_RIGHT},
		{"busbw or reason", 2, -12, COLUMN_LEFT},
	};
	const struct summary *s = &r->reduction->summary;
	struct columns table;
	if (s->n_nccl == 0)
		return;
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	screen_line(screen, "%s", "");
	columns_heads(&table);
	for (size_t i = 0; i < s->n_nccl && i < NCCL_ROWS; i++)
		nccl_row(&table, s, &s->nccl[i]);
	if (s->n_nccl > NCCL_ROWS)
		screen_line(screen, "  and %zu more kinds (--json has them all)", s->n_nccl - NCCL_ROWS);
}

/* ---- devices ---- */

struct device_row {
	size_t device;
	int64_t ns[CELLS]; /* per step: the window, then its parts */
	int64_t differs;   /* from the median of any part, the most */
};

static void fill(const struct summary *s, struct device_row *rows)
{
	static const uint64_t parts[] = {
		LEAVES_WORK,   LEAVES_NCCL, LEAVES_CPU, LEAVES_HOST, LEAVES_GPU | LEAVES_COPY,
		LEAVES_UNKNOWN};
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		rows[i] = (struct device_row){.device = i};
		rows[i].ns[0] = d->steps ? d->window_ns / d->steps : 0;
		for (int c = 1; c < CELLS; c++)
			rows[i].ns[c] = figures_device_time(d, parts[c - 1]);
	}
}

static void print_row(struct columns *table, const char *name, const char *rank,
					  const struct device_row *row)
{
	columns_cell(table, "%s", name);
	columns_cell(table, "%s", rank);
	for (int c = 0; c < CELLS; c++)
		columns_ms(table, row->ns[c]);
	columns_end(table, COLUMNS_PLAIN);
}

static void print_device(struct columns *table, const struct summary *s,
						 const struct device_row *row)
{
	const struct device_summary *d = &s->devices[row->device];
	struct text_buffer name;
	char rank[16] = "-";
	if (d->n_processes && d->ranks[0] >= 0)
		snprintf(rank, sizeof(rank), "%d", d->ranks[0]);
	print_row(table, text_device(summary_text(s, d->key), 24, &name), rank, row);
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
	sort_rows(rows, n, sizeof(*rows), by_difference);
	return true;
}

void devices_table(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct column columns[] = {
		{r->figures->has_steps ? "Devices, ms/step" : "Devices, ms", 0, 24, COLUMN_LEFT},
		{"rank", 1, 5, COLUMN_RIGHT},
		{finding_per(r->figures), 1, 9, COLUMN_RIGHT},
		{"work", 1, 9, COLUMN_RIGHT},
		{"NCCL", 1, 9, COLUMN_RIGHT},
		{"CPU", 1, 9, COLUMN_RIGHT},
		{"host", 1, 9, COLUMN_RIGHT},
		{"GPU+copy", 1, 9, COLUMN_RIGHT},
		{"unknown", 1, 9, COLUMN_RIGHT},
	};
	struct device_row median, *rows = malloc((s->n_devices + 1) * sizeof(*rows));
	const size_t n = s->n_devices <= ALL_OF ? s->n_devices : MOST_DIFFERENT;
	struct columns table;
	if (s->n_devices < 2 || !rows) {
		free(rows);
		return;
	}
	fill(s, rows);
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	screen_line(screen, "%s", "");
	columns_heads(&table);
	if (n < s->n_devices && compare(rows, s->n_devices, &median))
		print_row(&table, "median", "", &median);
	for (size_t i = 0; i < n; i++)
		print_device(&table, s, &rows[i]);
	if (n < s->n_devices)
		screen_line(
			screen,
			"  the %zu of %zu devices that differ most from the median (--json has them all)", n,
			s->n_devices);
	free(rows);
}
