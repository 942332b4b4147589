/* cuda_kern_exec_sum: for each thread, device, call and kernel how long launches took, waited and
 * ran. */
#include "stats/reports.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "stats/launched.h"
#include "stats/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
	int64_t pid, tid;
	uint32_t call, kernel;
	int64_t device; /* ends the key */
	struct moments total, launch, queue, run;
};

struct exec_sums {
	struct row *rows;
	size_t n;
	struct table table;
	struct stats_run *run;
};

static int add_row(struct row *row, const struct launched *of)
{
	const int64_t last = of->end > of->call_end ? of->end : of->call_end;
	int error = moments_add(&row->total, saturate_sub(last, of->call_begin));
	error = error ? error : moments_add(&row->launch, of->call_end - of->call_begin);
	error = error ? error : moments_add(&row->run, of->end - of->begin);
	if (!error && of->begin >= of->call_end)
		error = moments_add(&row->queue, saturate_sub(of->begin, of->call_end));
	return error;
}

static int add_file(struct stats_file *file, void *context)
{
	struct exec_sums *s = context;
	struct launched_list list = {0};
	const struct trace *trace = &file->trace;
	int error = launched_read(file, &list);
	for (size_t i = 0; i < list.n && !error; i++) {
		const struct launched *of = &list.at[i];
		if (!of->call_name || of->kind != BATON_KERNEL)
			continue;
		struct row key = {0};
		key.pid = trace->threads[of->thread].pid;
		key.tid = trace->threads[of->thread].tid;
		key.call = of->call_name;
		key.kernel = of->name;
		key.device = trace->devices[trace->streams[of->stream].device].ordinal;
		struct row *row = table_row(&s->table, TABLE_ROWS(s->rows, s->n, device), &key);
		error = row ? add_row(row, of) : -ENOMEM;
	}
	free(list.at);
	return error;
}

/* The longest on average first, as nsys has it. */
static int by_average(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	const struct stats_run *run = context;
	if (x->total.mean != y->total.mean)
		return x->total.mean < y->total.mean ? 1 : -1;
	const int order = strcmp(stats_name(run, x->kernel), stats_name(run, y->kernel));
	if (order)
		return order;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int put_moments(const struct moments *moments, struct cell *cells)
{
	struct figures f;
	if (moments->n == 0) {
		memset(cells, 0, 5 * sizeof(*cells));
		return 0;
	}
	const int error = moments_figures(moments, &f);
	cells[0] = cell_tenths(f.average);
	cells[1] = cell_tenths(f.median);
	cells[2] = cell_number(moments->min);
	cells[3] = cell_number(moments->max);
	cells[4] = cell_tenths(f.deviation);
	return error;
}

static int put_row(const struct exec_sums *s, const struct row *row, struct sheet *sheet)
{
	struct cell cells[SHEET_COLUMNS_MOST];
	cells[0] = cell_number(row->pid);
	cells[1] = cell_number(row->tid);
	cells[2] = cell_number(row->device);
	cells[3] = cell_number((int64_t)row->total.n);
	cells[4] = cell_number((int64_t)row->queue.n);
	int error = put_moments(&row->total, &cells[5]);
	error = error ? error : put_moments(&row->launch, &cells[10]);
	error = error ? error : put_moments(&row->queue, &cells[15]);
	error = error ? error : put_moments(&row->run, &cells[20]);
	cells[25] = cell_text(stats_name(s->run, row->call));
	cells[26] = cell_text(stats_name(s->run, row->kernel));
	return error ? error : sheet_row(sheet, cells);
}

int exec_sums_write(struct stats_run *run, struct sheet *sheet, int variant)
{
	struct exec_sums s = {.run = run};
	(void)variant;
	int error = stats_each(run, add_file, &s);
	sort_rows_with(s.rows, s.n, sizeof(*s.rows), by_average, run);
	for (size_t i = 0; i < s.n; i++) {
		error = error ? error : put_row(&s, &s.rows[i], sheet);
		moments_free(&s.rows[i].total);
		moments_free(&s.rows[i].launch);
		moments_free(&s.rows[i].queue);
		moments_free(&s.rows[i].run);
	}
	free(s.rows);
	table_free(&s.table);
	return error;
}
