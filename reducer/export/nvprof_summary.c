/* The table of nvprof with a row for each name. */
#include "export/nvprof.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "render/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum type { TYPE_GPU, TYPE_API, TYPES };

struct sum {
	uint32_t name; /* in the run's pool */
	uint32_t type;
	int64_t total_ns, min_ns, max_ns;
	uint64_t n;
};

struct sums {
	struct nvprof_out *to;
	struct stats_file *file;
	struct sum *at;
	size_t n;
	struct table table;
	int64_t total_ns[TYPES];
};

static int add(struct sums *s, enum type type, const char *name, int64_t dur_ns)
{
	const struct sum key = {.name = name ? stats_text(s->file, name) : 0, .type = type};
	struct sum *sum = key.name ? table_row(&s->table, TABLE_ROWS(s->at, s->n, type), &key) : NULL;
	if (!sum)
		return -ENOMEM;
	sum->min_ns = sum->n == 0 || dur_ns < sum->min_ns ? dur_ns : sum->min_ns;
	sum->max_ns = dur_ns > sum->max_ns ? dur_ns : sum->max_ns;
	sum->total_ns = saturate_add(sum->total_ns, dur_ns);
	s->total_ns[type] = saturate_add(s->total_ns[type], dur_ns);
	sum->n++;
	return 0;
}

static int add_rows(struct sums *s, enum type type)
{
	struct rows rows;
	int error = rows_open(&rows, &s->file->trace, type == TYPE_GPU ? BATON_OP : BATON_CALL);
	if (error)
		return error;
	while (!error && stats_next(s->file, &rows))
		error = add(s, type,
					type == TYPE_GPU ? nvprof_op_name(s->to, s->file, &rows)
									 : nvprof_call_name(s->to, s->file, &rows),
					rows_value(&rows, ROW_DUR));
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

static int by_total(const void *a, const void *b, void *context)
{
	const struct sum *x = a, *y = b;
	const struct stats_run *run = context;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return strcmp(stats_name(run, x->name), stats_name(run, y->name));
}

static void put_sum(const struct sums *s, const struct sum *sum)
{
	FILE *out = s->to->out;
	const int64_t all_ns = s->total_ns[sum->type];
	const int64_t times_ns[] = {sum->total_ns / (int64_t)sum->n, sum->min_ns, sum->max_ns};
	fprintf(out, "\"%s\",%.6f,", sum->type == TYPE_GPU ? "GPU activities" : "API calls",
			all_ns > 0 ? 100 * (double)sum->total_ns / (double)all_ns : 0);
	nvprof_put_ms(sum->total_ns, out);
	fprintf(out, ",%" PRIu64 ",", sum->n);
	for (int i = 0; i < 3; i++) {
		nvprof_put_ms(times_ns[i], out);
		fputc(',', out);
	}
	csv_quoted(stats_name(s->to->rows, sum->name), out);
	fputc('\n', out);
}

int nvprof_write_summary(struct nvprof_out *to, struct stats_file *file)
{
	struct sums s = {.to = to, .file = file};
	int error = add_rows(&s, TYPE_GPU);
	error = error ? error : add_rows(&s, TYPE_API);
	sort_rows_with(s.at, s.n, sizeof(*s.at), by_total, to->rows);
	if (!error && s.n == 0)
		nvprof_remark(to, file, "No kernels were profiled.");
	if (!error && s.n > 0) {
		nvprof_remark(to, file, "Profiling result:");
		fputs("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			  ",%,ms,,ms,ms,ms,\n",
			  to->out);
	}
	for (size_t i = 0; i < s.n && !error; i++)
		put_sum(&s, &s.at[i]);
	free(s.at);
	table_free(&s.table);
	return error;
}
