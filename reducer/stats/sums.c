/* Tables with a row for each name: how often, how long. */
#include "stats/reports.h"

#include "base/sort.h"
#include "stats/styles.h"
#include "stats/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
	uint32_t name;
	uint32_t category; /* a text of the pool; 0: none */
	struct moments moments;
};

struct sums {
	enum sums_variant variant;
	struct row *rows;
	size_t n;
	struct table table;
	unsigned kind; /* the table of the files that is read */
	struct stats_run *run;
};

/* One row of a file, as this table takes it. */
struct taken {
	uint32_t name, category;
	int64_t value;
};

static int take_op(struct sums *s, struct stats_file *file, const struct rows *op,
				   struct taken *taken)
{
	const int64_t kind = rows_value(op, OP_KIND);
	const bool copy = kind == BATON_MEMCPY || kind == BATON_MEMSET;
	const bool wanted = s->variant == SUMS_GPU ? true : copy == (s->variant != SUMS_KERNELS);
	if (!wanted || (s->variant == SUMS_KERNELS && kind != BATON_KERNEL))
		return 0;
	if (s->variant == SUMS_COPY_SIZES) {
		taken->value = rows_optional(op, OP_BYTES, -1);
		if (taken->value < 0)
			return 0;
	}
	taken->name = stats_op_name(file, op);
	if (s->variant == SUMS_GPU)
		taken->category = stats_text(file, copy                  ? "MEMORY_OPER"
										   : kind == BATON_GRAPH ? "CUDA_GRAPH"
																 : "CUDA_KERNEL");
	return taken->name ? 1 : -ENOMEM;
}

static bool is_nccl(const struct stats_file *file, const struct rows *range)
{
	const uint64_t domain = (uint64_t)rows_optional(range, RANGE_DOMAIN, 0);
	const uint32_t string = idmap_get(&file->trace.string_ids, domain);
	return strcmp(strings_get(&file->trace.strings, string).at, "NCCL") == 0;
}

static int take_range(struct sums *s, struct stats_file *file, const struct rows *range,
					  struct taken *taken)
{
	const int64_t category = rows_value(range, RANGE_CATEGORY);
	const char *style = style_of(category);
	if (!style || (s->variant == SUMS_PUSHED && category != BATON_RANGE_NVTX) ||
		(s->variant == SUMS_NCCL && !is_nccl(file, range)))
		return 0;
	taken->name = stats_range_name(file, range);
	if (s->variant == SUMS_RANGES)
		taken->category = stats_text(file, style);
	return taken->name ? 1 : -ENOMEM;
}

/* 1: taken; 0: not a row of this table; -ENOMEM. */
static int take(struct sums *s, struct stats_file *file, const struct rows *rows,
				struct taken *taken)
{
	*taken = (struct taken){.value = rows_value(rows, ROW_DUR)};
	if (s->kind == BATON_OP)
		return take_op(s, file, rows, taken);
	if (s->kind == BATON_RANGE)
		return take_range(s, file, rows, taken);
	taken->name = stats_call_name(file, rows);
	return taken->name ? 1 : -ENOMEM;
}

static int add(struct sums *s, const struct taken *taken)
{
	const struct row key = {.name = taken->name, .category = taken->category};
	struct row *row = table_row(&s->table, TABLE_ROWS(s->rows, s->n, category), &key);
	return row ? moments_add(&row->moments, taken->value) : -ENOMEM;
}

static int add_file(struct stats_file *file, void *context)
{
	struct sums *s = context;
	struct taken taken;
	struct rows rows;
	int result = rows_open(&rows, &file->trace, s->kind);
	if (result)
		return result;
	while (result >= 0 && stats_next(file, &rows)) {
		result = take(s, file, &rows, &taken);
		if (result > 0)
			result = add(s, &taken);
	}
	result = result < 0 ? result : rows.error;
	rows_close(&rows);
	return result;
}

/* The largest first. */
static int by_total(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	const struct stats_run *run = context;
	if (x->moments.total != y->moments.total)
		return x->moments.total < y->moments.total ? 1 : -1;
	const int order = strcmp(stats_name(run, x->name), stats_name(run, y->name));
	return order ? order : strcmp(stats_name(run, x->category), stats_name(run, y->category));
}

static size_t put_times(const struct row *row, const struct figures *f, double all,
						struct cell *cells)
{
	const double share = all > 0 ? 100 * (double)row->moments.total / all : 0;
	const struct cell made[] = {cell_tenths(share),
								cell_number(row->moments.total),
								cell_number((int64_t)row->moments.n),
								cell_tenths(f->average),
								cell_tenths(f->median),
								cell_number(row->moments.min),
								cell_number(row->moments.max),
								cell_tenths(f->deviation)};
	memcpy(cells, made, sizeof(made));
	return sizeof(made) / sizeof(made[0]);
}

static size_t put_sizes(const struct row *row, const struct figures *f, struct cell *cells)
{
	const struct cell made[] = {cell_milli((double)row->moments.total / 1e6),
								cell_number((int64_t)row->moments.n),
								cell_milli(f->average / 1e6),
								cell_milli(f->median / 1e6),
								cell_milli((double)row->moments.min / 1e6),
								cell_milli((double)row->moments.max / 1e6),
								cell_milli(f->deviation / 1e6)};
	memcpy(cells, made, sizeof(made));
	return sizeof(made) / sizeof(made[0]);
}

static int put_rows(struct sums *s, struct sheet *sheet)
{
	double all = 0;
	int error = 0;
	for (size_t i = 0; i < s->n; i++)
		all += (double)s->rows[i].moments.total;
	for (size_t i = 0; i < s->n && !error; i++) {
		const struct row *row = &s->rows[i];
		struct cell cells[SHEET_COLUMNS_MOST];
		struct figures figures;
		error = moments_figures(&row->moments, &figures);
		size_t n = s->variant == SUMS_COPY_SIZES ? put_sizes(row, &figures, cells)
												 : put_times(row, &figures, all, cells);
		if (row->category)
			cells[n++] = cell_text(stats_name(s->run, row->category));
		cells[n++] = cell_text(stats_name(s->run, row->name));
		error = error ? error : sheet_row(sheet, cells);
	}
	return error;
}

int sums_write(struct stats_run *run, struct sheet *sheet, int variant)
{
	static const unsigned kinds[] = {
		[SUMS_KERNELS] = BATON_OP,    [SUMS_CALLS] = BATON_CALL, [SUMS_COPY_TIMES] = BATON_OP,
		[SUMS_COPY_SIZES] = BATON_OP, [SUMS_GPU] = BATON_OP,     [SUMS_RANGES] = BATON_RANGE,
		[SUMS_PUSHED] = BATON_RANGE,  [SUMS_NCCL] = BATON_RANGE};
	struct sums s = {.variant = (enum sums_variant)variant, .kind = kinds[variant], .run = run};
	int error = stats_each(run, add_file, &s);
	if (!error) {
		sort_rows_with(s.rows, s.n, sizeof(*s.rows), by_total, run);
		error = put_rows(&s, sheet);
	}
	for (size_t i = 0; i < s.n; i++)
		moments_free(&s.rows[i].moments);
	free(s.rows);
	table_free(&s.table);
	return error;
}
