/* nvtx_gpu_proj_sum: ranges, and the time on the GPU from the first to the last op launched in
 * each. */
#include "stats/reports.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "stats/spans.h"
#include "stats/styles.h"
#include "stats/moments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
	uint32_t name, category;
	struct moments projected;
	int64_t range_ns;
	uint64_t launches, levels, children;
};

struct projected { /* of one range */
	int64_t begin, end;
	uint64_t launches; /* that have ops: what nsys calls GPU ops, also where a graph has many */
	uint64_t last;     /* correlation of the last one */
	uint64_t children; /* with launches */
};

struct projections {
	struct row *rows;
	size_t n;
	struct table table;
	struct stats_run *run;
	struct projected *of; /* of the ranges of the file in hand */
	uint64_t left_out;
};

static int project(size_t span, const struct launched *op, void *context)
{
	struct projections *p = context;
	if (span == SPAN_NONE)
		return 0;
	struct projected *of = &p->of[span];
	if (of->launches == 0 || op->begin < of->begin)
		of->begin = op->begin;
	if (of->launches == 0 || op->end > of->end)
		of->end = op->end;
	of->launches += of->launches == 0 || op->correlation != of->last;
	of->last = op->correlation; /* ops of a call come one after the other */
	return 0;
}

static int add_spans(struct projections *p, const struct spans *spans)
{
	int error = 0;
	for (size_t i = 0; i < spans->n; i++)
		if (p->of[i].launches && spans->at[i].parent)
			p->of[spans->at[i].parent - 1].children++;
	for (size_t i = 0; i < spans->n && !error; i++) {
		const struct span *span = &spans->at[i];
		const struct row key = {.name = span->name, .category = span->category};
		if (p->of[i].launches == 0)
			continue;
		struct row *row = table_row(&p->table, TABLE_ROWS(p->rows, p->n, category), &key);
		if (!row)
			return -ENOMEM;
		row->range_ns = saturate_add(row->range_ns, span->end - span->begin);
		row->launches += p->of[i].launches;
		row->levels += span->level;
		row->children += p->of[i].children;
		error = moments_add(&row->projected, saturate_sub(p->of[i].end, p->of[i].begin));
	}
	return error;
}

static int add_file(struct stats_file *file, void *context)
{
	struct projections *p = context;
	struct launched_list list = {0};
	struct spans spans = {0};
	int error = launched_read(file, &list);
	error = error ? error : spans_read(file, &spans);
	p->of = calloc(spans.n + 1, sizeof(*p->of));
	if (!error && !p->of)
		error = -ENOMEM;
	error = error ? error : spans_walk(&spans, &list, project, p, &p->left_out);
	error = error ? error : add_spans(p, &spans);
	free(p->of);
	free(spans.at);
	free(list.at);
	return error;
}

static int by_projected(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	const struct stats_run *run = context;
	if (x->projected.total != y->projected.total)
		return x->projected.total < y->projected.total ? 1 : -1;
	return strcmp(stats_name(run, x->name), stats_name(run, y->name));
}

static int put_row(const struct projections *p, const struct row *row, struct sheet *sheet)
{
	struct cell cells[SHEET_COLUMNS_MOST];
	struct figures f;
	const double n = (double)row->projected.n;
	const int error = moments_figures(&row->projected, &f);
	cells[0] = cell_text(stats_name(p->run, row->name));
	cells[1] = cell_text(style_of(row->category));
	cells[2] = cell_number(row->projected.total);
	cells[3] = cell_number(row->range_ns);
	cells[4] = cell_number((int64_t)row->projected.n);
	cells[5] = cell_tenths(f.average);
	cells[6] = cell_tenths(f.median);
	cells[7] = cell_number(row->projected.min);
	cells[8] = cell_number(row->projected.max);
	cells[9] = cell_tenths(f.deviation);
	cells[10] = cell_number((int64_t)row->launches);
	cells[11] = cell_tenths((double)row->launches / n);
	cells[12] = cell_tenths((double)row->levels / n);
	cells[13] = cell_tenths((double)row->children / n);
	return error ? error : sheet_row(sheet, cells);
}

int projections_write(struct stats_run *run, struct sheet *sheet, int variant)
{
	struct projections p = {.run = run};
	(void)variant;
	int error = stats_each(run, add_file, &p);
	sort_rows_with(p.rows, p.n, sizeof(*p.rows), by_projected, run);
	for (size_t i = 0; i < p.n; i++) {
		error = error ? error : put_row(&p, &p.rows[i], sheet);
		moments_free(&p.rows[i].projected);
	}
	spans_say_left_out(run, p.left_out);
	free(p.rows);
	table_free(&p.table);
	return error;
}
