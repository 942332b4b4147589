/* nvtx_kern_sum: for each range and thread the kernels that were launched in it. */
#include "stats/reports.h"

#include "base/sort.h"
#include "stats/spans.h"
#include "stats/styles.h"
#include "stats/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
	int64_t pid, tid; /* of the call; 0: there is none */
	uint32_t range;   /* 0: launched in no range */
	uint32_t category;
	uint64_t kernel; /* ends the key */
	struct moments moments;
	uint64_t ranges; /* that had this kernel */
	uint64_t file;   /* in which the last one was */
	size_t last;     /* 1 + the last one */
	/* Kernels, each once: one inside of two ranges of this name is in the figures twice, as in
	 * nsys. */
	uint64_t kernels;
	const struct launched *op; /* the last one, of file `op_file` */
	uint64_t op_file;
};

struct range_kernels {
	struct row *rows;
	size_t n;
	struct table table;
	struct stats_run *run;
	const struct stats_file *file;
	const struct spans *spans;
	uint64_t files;
	uint64_t left_out;
};

static int add(size_t index, const struct launched *op, void *context)
{
	struct range_kernels *k = context;
	struct row key = {.kernel = op->name};
	if (op->kind != BATON_KERNEL)
		return 0;
	if (op->call_name) {
		const struct trace_thread *thread = &k->file->trace.threads[op->thread];
		key.pid = thread->pid;
		key.tid = thread->tid;
	}
	if (index != SPAN_NONE) {
		const struct span *span = &k->spans->at[index];
		key.range = span->name;
		key.category = span->category;
	}
	struct row *row = table_row(&k->table, TABLE_ROWS(k->rows, k->n, kernel), &key);
	if (!row)
		return -ENOMEM;
	/* Ranges come in order of their begin. One that was met before does not count again. */
	if (index != SPAN_NONE && (row->file != k->files || index >= row->last)) {
		row->ranges++;
		row->last = index + 1;
		row->file = k->files;
	}
	row->kernels += row->op != op || row->op_file != k->files;
	row->op = op;
	row->op_file = k->files;
	return moments_add(&row->moments, op->end - op->begin);
}

static int add_file(struct stats_file *file, void *context)
{
	struct range_kernels *k = context;
	struct launched_list list = {0};
	struct spans spans = {0};
	int error = launched_read(file, &list);
	error = error ? error : spans_read(file, &spans);
	k->file = file;
	k->spans = &spans;
	k->files++;
	error = error ? error : spans_walk(&spans, &list, add, k, &k->left_out);
	free(spans.at);
	free(list.at);
	return error;
}

static int by_range(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	const struct stats_run *run = context;
	const int order = strcmp(stats_name(run, x->range), stats_name(run, y->range));
	if (order)
		return order;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->moments.total != y->moments.total)
		return x->moments.total < y->moments.total ? 1 : -1;
	return strcmp(stats_name(run, (uint32_t)x->kernel), stats_name(run, (uint32_t)y->kernel));
}

static int put_row(const struct range_kernels *k, const struct row *row, struct sheet *sheet)
{
	const struct cell none = {CELL_NONE, {0}};
	struct cell cells[SHEET_COLUMNS_MOST];
	struct figures f;
	const int error = moments_figures(&row->moments, &f);
	cells[0] = row->range ? cell_text(stats_name(k->run, row->range)) : none;
	cells[1] = row->range ? cell_text(style_of(row->category)) : none;
	cells[2] = row->pid ? cell_number(row->pid) : none;
	cells[3] = row->pid ? cell_number(row->tid) : none;
	cells[4] = cell_number((int64_t)row->ranges);
	cells[5] = cell_number((int64_t)row->kernels);
	cells[6] = cell_number(row->moments.total);
	cells[7] = cell_tenths(f.average);
	cells[8] = cell_tenths(f.median);
	cells[9] = cell_number(row->moments.min);
	cells[10] = cell_number(row->moments.max);
	cells[11] = cell_tenths(f.deviation);
	cells[12] = cell_text(stats_name(k->run, (uint32_t)row->kernel));
	return error ? error : sheet_row(sheet, cells);
}

int range_kernels_write(struct stats_run *run, struct sheet *sheet, int variant)
{
	struct range_kernels k = {.run = run};
	(void)variant;
	int error = stats_each(run, add_file, &k);
	sort_rows_with(k.rows, k.n, sizeof(*k.rows), by_range, run);
	for (size_t i = 0; i < k.n; i++) {
		error = error ? error : put_row(&k, &k.rows[i], sheet);
		moments_free(&k.rows[i].moments);
	}
	spans_say_left_out(run, k.left_out);
	free(k.rows);
	table_free(&k.table);
	return error;
}
